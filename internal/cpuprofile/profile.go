// Package cpuprofile reads the CPU profiles that package runtime/pprof writes.
package cpuprofile

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
)

// Frame is a function call of a sample.
type Frame struct {
	Function, File string
	Line           int
}

// Sample is a stack, innermost call first, and how often it was seen.
type Sample struct {
	Stack []Frame
	Count int
}

var errDamaged = errors.New("damaged profile")

// Read reads a profile: the message Profile of profile.proto, compressed.
func Read(r io.Reader) ([]Sample, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	const most = 1 << 26
	text, err := io.ReadAll(io.LimitReader(z, most))
	if err != nil {
		return nil, err
	}
	p := profile{locations: map[uint64][]line{}, functions: map[uint64][2]uint64{}}
	if err := fields(text, p.add); err != nil {
		return nil, err
	}
	return p.list()
}

// profile is a profile with references.
type profile struct {
	samples   []sample
	locations map[uint64][]line    // inlined calls first
	functions map[uint64][2]uint64 // name and file, as numbers of strings
	strings   []string
}

type sample struct {
	locations []uint64
	count     int
}

type line struct {
	function uint64
	number   int
}

// fields calls add for each field of a message. A number has no text.
func fields(text []byte, add func(field int, number uint64, text []byte) error) error {
	for len(text) > 0 {
		tag, n := binary.Uvarint(text)
		if n <= 0 {
			return errDamaged
		}
		value, m := binary.Uvarint(text[n:])
		if m <= 0 {
			return errDamaged
		}
		text = text[n+m:]
		var part []byte
		switch tag & 7 {
		case 0:
		case 2:
			if value > uint64(len(text)) {
				return errDamaged
			}
			part, text = text[:value:value], text[value:]
		default:
			return errDamaged
		}
		if err := add(int(tag>>3), value, part); err != nil {
			return err
		}
	}
	return nil
}

// numbers returns a repeated number, which is packed or single.
func numbers(number uint64, text []byte) (list []uint64) {
	if text == nil {
		return []uint64{number}
	}
	for len(text) > 0 {
		v, n := binary.Uvarint(text)
		if n <= 0 {
			return list
		}
		list, text = append(list, v), text[n:]
	}
	return list
}

func (p *profile) add(field int, _ uint64, text []byte) error {
	switch field {
	case 2: // sample
		var s sample
		var values []uint64
		err := fields(text, func(field int, number uint64, text []byte) error {
			switch field {
			case 1:
				s.locations = append(s.locations, numbers(number, text)...)
			case 2:
				values = append(values, numbers(number, text)...)
			}
			return nil
		})
		if len(values) > 0 { // the first one is the number of samples
			s.count = int(values[0])
			p.samples = append(p.samples, s)
		}
		return err
	case 4:
		return p.addLocation(text)
	case 5: // function
		var id uint64
		var f [2]uint64
		err := fields(text, func(field int, number uint64, _ []byte) error {
			switch field {
			case 1:
				id = number
			case 2:
				f[0] = number
			case 4:
				f[1] = number
			}
			return nil
		})
		p.functions[id] = f
		return err
	case 6:
		p.strings = append(p.strings, string(text))
	}
	return nil
}

func (p *profile) addLocation(text []byte) error {
	var id uint64
	var lines []line
	err := fields(text, func(field int, number uint64, text []byte) error {
		switch field {
		case 1:
			id = number
		case 4:
			var l line
			err := fields(text, func(field int, number uint64, _ []byte) error {
				switch field {
				case 1:
					l.function = number
				case 2:
					l.number = int(number)
				}
				return nil
			})
			lines = append(lines, l)
			return err
		}
		return nil
	})
	p.locations[id] = lines
	return err
}

// list returns the samples with their frames.
func (p *profile) list() (list []Sample, err error) {
	for _, s := range p.samples {
		one := Sample{Count: s.count}
		for _, location := range s.locations {
			for _, l := range p.locations[location] {
				f := p.functions[l.function]
				if max(f[0], f[1]) >= uint64(len(p.strings)) {
					return nil, errDamaged
				}
				one.Stack = append(one.Stack, Frame{p.strings[f[0]], p.strings[f[1]], l.number})
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// Busiest returns the innermost frame with a property in which most of the time passes, and its share. Samples of one function count
// together.
func Busiest(list []Sample, which func(Frame) bool) (frame Frame, share float64) {
	counts, at, all := map[string]int{}, map[string]Frame{}, 0
	for _, s := range list {
		all += s.Count
		for _, f := range s.Stack {
			if which(f) {
				if counts[f.Function] += s.Count; at[f.Function].Line == 0 {
					at[f.Function] = f
				}
				break
			}
		}
	}
	most := 0
	for _, s := range list { // in the order of the profile
		for _, f := range s.Stack {
			if counts[f.Function] > most {
				most, frame = counts[f.Function], at[f.Function]
			}
		}
	}
	return frame, float64(most) / float64(max(1, all))
}
