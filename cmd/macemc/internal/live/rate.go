package live

import (
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/observe"
)

// rate is the number of delivered messages over time.
type rate struct {
	Message string  `json:"message"` // type of the messages; "" means all
	Bucket  float64 `json:"bucket"`  // seconds
	Total   int     `json:"total"`
	Mean    float64 `json:"mean"` // per bucket
	SD      float64 `json:"sd"`
	Counts  []int   `json:"counts"` // by bucket, starting at the beginning of the run
	Picture string  `json:"picture"`

	marks []mark
}

// rated counts the recorded deliveries between the start and the end. A message type without deliveries in the recording yields 0.
func rated(set *recording.Set, codec wire.Codec, message string, bucket time.Duration, begun, ended time.Time) (*rate, error) {
	r := &rate{Message: message, Bucket: bucket.Seconds(), Counts: make([]int, max(1, (ended.Sub(begun)+bucket-1)/bucket))}
	for _, starts := range set.Starts {
		for _, s := range starts {
			for i := range s.Events {
				e := &s.Events[i]
				at := time.Unix(0, e.Time).Sub(begun)
				if at < 0 || int(at/bucket) >= len(r.Counts) {
					continue // before all nodes had booted, or after the end
				}
				for _, got := range e.Received() {
					if message != "" {
						msg, err := codec.Decode(got.Data)
						if err != nil {
							return nil, err
						}
						if observe.Name(msg) != message {
							continue
						}
					}
					r.Counts[at/bucket]++
					r.Total++
				}
			}
		}
	}
	r.Mean = float64(r.Total) / float64(len(r.Counts))
	for _, n := range r.Counts {
		r.SD += (float64(n) - r.Mean) * (float64(n) - r.Mean)
	}
	r.SD = math.Sqrt(r.SD / float64(len(r.Counts)))
	return r, nil
}

// messageNames returns the types of messages that a system sends.
func messageNames(samples []any) (names []string) {
	for _, m := range samples {
		if name := observe.Name(m); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (r *rate) what() string {
	if r.Message == "" {
		return "messages"
	}
	return r.Message
}

func (r *rate) bucket() time.Duration {
	return time.Duration(r.Bucket * float64(time.Second)).Round(time.Microsecond)
}

func (r *rate) String() string {
	return fmt.Sprintf("%s: %s delivered, %.1f in %v on average (standard deviation %.1f)", r.what(), textfmt.Number(r.Total), r.Mean,
		r.bucket(), r.SD)
}

// dense is the number of buckets from which on a picture cannot show them separately.
const dense = 400

// means returns the means of groups of buckets, and the size of a group. It returns none if there are few buckets.
func (r *rate) means() (list []float64, of int) {
	if len(r.Counts) < dense {
		return nil, 0
	}
	of = len(r.Counts) / 100
	for part := range slices.Chunk(r.Counts, of) {
		sum := 0
		for _, n := range part {
			sum += n
		}
		list = append(list, float64(sum)/float64(len(part)))
	}
	return list, of
}

// svg draws the counts, with a line at each mark. If there are too many buckets, another line shows their means.
func (r *rate) svg(title string) string {
	const width, height, left, right, top, bottom = 900, 420, 80, 870, 60, 350
	most := max(1, slices.Max(r.Counts))
	seconds := float64(len(r.Counts)) * r.Bucket
	x := func(at float64) float64 { return left + (right-left)*at/seconds }
	y := func(n float64) float64 { return bottom - (bottom-top)*n/float64(most) }
	means, of := r.means()
	what, pen := r.String(), `stroke="#0b5fa5"`
	if of > 0 {
		what += fmt.Sprintf("; dark: mean of %v", time.Duration(of)*r.bucket())
		pen = `stroke="#9cc5e6" stroke-width="0.5"`
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" font-family="sans-serif" font-size="13" fill="#222">
<rect width="100%%" height="100%%" fill="#fff"/>
<text x="%d" y="28" font-size="17">%s</text>
<text x="%[3]d" y="48" fill="#555">%[5]s</text>
`, width, height, left, html.EscapeString(title), html.EscapeString(what))
	for _, n := range ticks(float64(most), 5) {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%g</text>`+"\n", left, y(n), right,
			left-8, y(n)+4, n)
	}
	for _, at := range ticks(seconds, 10) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%g s</text>`+"\n", x(at), bottom+20, at)
	}
	path := []byte(fmt.Sprintf("M%d %d", left, bottom))
	for i, n := range r.Counts {
		path = fmt.Appendf(path, "V%.1fH%.1f", y(float64(n)), x(float64(i+1)*r.Bucket))
	}
	fmt.Fprintf(&b, `<path d="%s" fill="none" %s/>`+"\n", path, pen)
	if of > 0 {
		path = path[:0]
		for i, n := range means {
			path = fmt.Appendf(path, "%c%.1f %.1f", "ML"[min(i, 1)], x(min(float64((i*of+of/2))*r.Bucket, seconds)), y(n))
		}
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="#0b3a6b" stroke-width="1.5"/>`+"\n", path)
	}
	for _, m := range r.marks {
		at := x(m.at.Seconds())
		fmt.Fprintf(&b, `<path d="M%.1f %dV%d" stroke="#c2570c" stroke-dasharray="5 3"/><text x="%.1f" y="%d" fill="#c2570c">%s</text>`+"\n", at,
			top, bottom, at+4, top+12, html.EscapeString(m.what))
	}
	fmt.Fprintf(&b, `<path d="M%d %dV%dH%d" fill="none" stroke="#222"/>
<text x="%d" y="%d" text-anchor="middle">time since the start</text>
<text transform="translate(24 %d) rotate(-90)" text-anchor="middle">%s in %v</text>
</svg>
`, left, top, bottom, right, (left+right)/2, bottom+46, (top+bottom)/2, html.EscapeString(r.what()), r.bucket())
	return b.String()
}

// ticks returns about that many round numbers from 0 to most.
func ticks(most float64, about int) (list []float64) {
	step := math.Pow(10, math.Floor(math.Log10(most/float64(about))))
	for _, f := range []float64{1, 2, 5, 10} {
		if most/(step*f) <= float64(about) {
			step *= f
			break
		}
	}
	for i := 0; float64(i)*step <= most; i++ {
		list = append(list, float64(i)*step)
	}
	return list
}

// rates counts deliveries and draws the counts.
func (x *fleet) rates() error {
	set, err := recording.ReadDir(x.recordings())
	if err != nil {
		return err
	}
	set.Tear()
	r, err := rated(set, x.codec, x.flags.count, x.flags.bucket, x.begun, x.stopped)
	if err != nil {
		return err
	}
	r.marks, r.Picture = x.marks, filepath.Join(x.dir, "rate.svg")
	title := fmt.Sprintf("%s, %d nodes", x.subject.System.Name, len(x.nodes))
	if err := os.WriteFile(r.Picture, []byte(r.svg(title)), 0o644); err != nil {
		return err
	}
	x.report.Rate = r
	return nil
}
