package grpc

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/macemc/macemc/bubble"
)

// Decoder returns a decoder of gRPC traffic for [bubble.ShowBy]. Calls are shown with their method, such as
//
//	1: /kv.KV/Put PutRequest{key:"a" value:2}
//
// where 1 is the number of the HTTP/2 stream. files describe the messages of services; [protoregistry.GlobalFiles] holds those of the
// generated packages that are linked. A message of another type is shown by the numbers of its fields. HTTP/2 sends the method of later
// calls on a connection as a reference to the first call: the type of such a message is shown if all services of files have only one that
// fits. The status of later calls that fail may be missing for the same reason. Compressed messages are shown by their size.
func Decoder(files *protoregistry.Files) func(m bubble.Message) (text string, ok bool) {
	d := &decoder{methods: map[string]protoreflect.MethodDescriptor{}}
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			methods := f.Services().Get(i).Methods()
			for j := range methods.Len() {
				m := methods.Get(j)
				d.methods[fmt.Sprintf("/%s/%s", m.Parent().FullName(), m.Name())] = m
				d.types[0] = append(d.types[0], m.Input())
				d.types[1] = append(d.types[1], m.Output())
			}
		}
		return true
	})
	for i, types := range d.types {
		slices.SortFunc(types, func(a, b protoreflect.MessageDescriptor) int {
			return strings.Compare(string(a.FullName()), string(b.FullName()))
		})
		d.types[i] = slices.Compact(types)
	}
	return d.message
}

type decoder struct {
	methods map[string]protoreflect.MethodDescriptor // by path
	types   [2][]protoreflect.MessageDescriptor      // of requests, and of responses
}

// message describes the frames of a message. Data that is not a sequence of whole frames is not decoded.
func (d *decoder) message(m bubble.Message) (text string, ok bool) {
	if m.Kind != bubble.Data {
		return "", false
	}
	data, preface := strings.CutPrefix(m.Data, http2.ClientPreface)
	var parts []string
	if preface {
		parts = append(parts, "HTTP/2")
	}
	in := strings.NewReader(data)
	framer := http2.NewFramer(nil, in)
	paths := map[uint32]string{} // of the calls that begin in this message, by stream
	for in.Len() > 0 {
		frame, err := framer.ReadFrame()
		if err != nil {
			return "", false
		}
		stream := frame.Header().StreamID
		switch f := frame.(type) {
		case *http2.HeadersFrame:
			fields := headers(f.HeaderBlockFragment())
			paths[stream] = fields[":path"]
			text = describeHeaders(fields, m.Back, f.StreamEnded())
		case *http2.DataFrame:
			if text, ok = d.describeData(string(f.Data()), m.Back, paths[stream]); !ok {
				return "", false
			}
		case *http2.RSTStreamFrame:
			text = "reset " + f.ErrCode.String()
		case *http2.GoAwayFrame:
			text = "GOAWAY " + f.ErrCode.String()
		case *http2.UnknownFrame:
			return "", false
		default:
			text = frame.Header().Type.String()
		}
		if stream != 0 {
			text = fmt.Sprintf("%d: %s", stream, text)
		}
		parts = append(parts, text)
	}
	return shorten(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; "), 160), true
}

// headers returns the header fields up to the first one that refers to a field of an earlier message.
func headers(block []byte) map[string]string {
	fields := map[string]string{}
	hpack.NewDecoder(4096, func(f hpack.HeaderField) { fields[f.Name] = f.Value }).Write(block)
	return fields
}

func describeHeaders(fields map[string]string, response, last bool) string {
	switch code, known := fields["grpc-status"]; {
	case known && code != "0":
		n, _ := strconv.Atoi(code)
		return fmt.Sprintf("%v %s", codes.Code(n), quote(fields["grpc-message"]))
	case response && last:
		return "end"
	case fields[":path"] != "":
		return fields[":path"]
	}
	return "headers"
}

// describeData describes the messages of a DATA frame: each has a byte that tells whether it is compressed, and four with its length.
func (d *decoder) describeData(data string, response bool, path string) (text string, ok bool) {
	var texts []string
	for data != "" {
		if len(data) < 5 {
			return "", false
		}
		size := int(binary.BigEndian.Uint32([]byte(data[1:5])))
		if size > len(data)-5 {
			return "", false
		}
		content := data[5 : 5+size]
		if data[0] == 0 {
			texts = append(texts, d.describe([]byte(content), response, path))
		} else {
			texts = append(texts, fmt.Sprintf("%d compressed bytes", size))
		}
		data = data[5+size:]
	}
	return strings.Join(texts, ", "), true
}

// describe describes a message of the method with the path, or else of the only type that fits.
func (d *decoder) describe(content []byte, response bool, path string) string {
	types := d.types[0]
	if response {
		types = d.types[1]
	}
	if m := d.methods[path]; m != nil {
		types = []protoreflect.MessageDescriptor{m.Input()}
	}
	var fitting []*dynamicpb.Message
	for _, t := range types {
		if m := dynamicpb.NewMessage(t); proto.Unmarshal(content, m) == nil && len(m.GetUnknown()) == 0 {
			fitting = append(fitting, m)
		}
	}
	if len(fitting) == 1 {
		return string(fitting[0].Descriptor().Name()) + describeMessage(fitting[0])
	}
	return describeFields(content)
}

// describeMessage is used in place of package prototext, whose spaces differ from build to build.
func describeMessage(m protoreflect.Message) string {
	var fields []string
	all := m.Descriptor().Fields()
	for i := range all.Len() {
		f := all.Get(i)
		if !m.Has(f) {
			continue
		}
		v, text := m.Get(f), ""
		switch {
		case f.IsMap():
			var entries []string
			v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				entries = append(entries, describeValue(f.MapKey(), k.Value())+":"+describeValue(f.MapValue(), v))
				return true
			})
			slices.Sort(entries)
			text = "{" + strings.Join(entries, " ") + "}"
		case f.IsList():
			var entries []string
			for i := range v.List().Len() {
				entries = append(entries, describeValue(f, v.List().Get(i)))
			}
			text = "[" + strings.Join(entries, " ") + "]"
		default:
			text = describeValue(f, v)
		}
		fields = append(fields, string(f.Name())+":"+text)
	}
	return "{" + strings.Join(fields, " ") + "}"
}

func describeValue(f protoreflect.FieldDescriptor, v protoreflect.Value) string {
	switch f.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return describeMessage(v.Message())
	case protoreflect.EnumKind:
		if name := f.Enum().Values().ByNumber(v.Enum()); name != nil {
			return string(name.Name())
		}
		return fmt.Sprint(v.Enum())
	case protoreflect.StringKind:
		return quote(v.String())
	case protoreflect.BytesKind:
		return quote(string(v.Bytes()))
	}
	return v.String()
}

// describeFields describes a message of an unknown type, or quotes content that is not a message.
func describeFields(content []byte) string {
	var fields []string
	for rest := content; len(rest) > 0; {
		number, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return quote(string(content))
		}
		rest = rest[n:]
		var value string
		switch kind {
		case protowire.VarintType:
			var v uint64
			v, n = protowire.ConsumeVarint(rest)
			value = fmt.Sprint(v)
		case protowire.BytesType:
			var v []byte
			v, n = protowire.ConsumeBytes(rest)
			value = quote(string(v))
		default:
			if n = protowire.ConsumeFieldValue(number, kind, rest); n >= 0 {
				value = fmt.Sprintf("0x%x", rest[:n])
			}
		}
		if n < 0 {
			return quote(string(content))
		}
		rest = rest[n:]
		fields = append(fields, fmt.Sprintf("%d:%s", number, value))
	}
	return "{" + strings.Join(fields, " ") + "}"
}

func quote(s string) string { return shorten(strconv.Quote(s), 40) }

// shorten returns the first n bytes of a text.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + ".."
}
