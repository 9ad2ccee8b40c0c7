package grpc

import (
	"bytes"
	"encoding/binary"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/macemc/macemc/bubble"
)

// connection writes one side of a connection.
type connection struct {
	*http2.Framer
	out    bytes.Buffer
	block  bytes.Buffer
	fields *hpack.Encoder
}

func connect() *connection {
	c := &connection{}
	c.Framer, c.fields = http2.NewFramer(&c.out, nil), hpack.NewEncoder(&c.block)
	return c
}

func (c *connection) headers(stream uint32, last bool, fields ...string) {
	c.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		c.fields.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	c.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: c.block.Bytes(), EndHeaders: true, EndStream: last})
}

func (c *connection) content(stream uint32, compressed byte, content []byte) {
	c.WriteData(stream, false, append(binary.BigEndian.AppendUint32([]byte{compressed}, uint32(len(content))), content...))
}

// take returns what was written since the last call.
func (c *connection) take() string {
	defer c.out.Reset()
	return c.out.String()
}

func encode(t *testing.T, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDecoder(t *testing.T) {
	const path = "/grpc.health.v1.Health/Check"
	decode := Decoder(protoregistry.GlobalFiles)
	check := func(what, data string, back bool, want string) {
		t.Helper()
		if got, ok := decode(bubble.Message{Kind: bubble.Data, Back: back, Data: data}); got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v; want %q", what, got, ok, want)
		}
	}
	request := encode(t, &grpc_health_v1.HealthCheckRequest{Service: "kv"})

	c := connect()
	c.WriteSettings()
	check("preface", http2.ClientPreface+c.take(), false, "HTTP/2; SETTINGS")
	call := func(stream uint32) string {
		c.headers(stream, false, ":method", "POST", ":path", path, "te", "trailers")
		c.content(stream, 0, request)
		return c.take()
	}
	check("first call", call(1), false, `1: `+path+`; 1: HealthCheckRequest{service:"kv"}`)
	later := call(3)
	check("later call", later, false, `3: headers; 3: HealthCheckRequest{service:"kv"}`)
	check("part of a frame", later[:len(later)-1], false, "")
	check("no frame", "SET k 1\r\n", false, "")
	c.content(1, 1, request)
	check("compressed", c.take(), false, "1: 4 compressed bytes")
	c.WriteRSTStream(1, http2.ErrCodeCancel)
	check("reset", c.take(), false, "1: reset CANCEL")
	c.content(5, 0, protowire.AppendString(protowire.AppendTag(nil, 9, protowire.BytesType), ""))
	check("unknown type", c.take(), false, `5: {9:""}`)
	c.content(5, 0, []byte{0xff})
	check("no message", c.take(), false, `5: "\xff"`)

	s := connect()
	s.WriteSettingsAck()
	s.headers(1, false, ":status", "200", "content-type", "application/grpc")
	s.content(1, 0, encode(t, &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_SERVING}))
	s.headers(1, true, "grpc-status", "0")
	check("answer", s.take(), true, "SETTINGS; 1: headers; 1: HealthCheckResponse{status:SERVING}; 1: end")
	s = connect()
	s.headers(3, true, ":status", "200", "grpc-status", "5", "grpc-message", "no such service")
	check("error", s.take(), true, `3: NotFound "no such service"`)
}

// A message with lists, nested messages and many kinds of fields.
func TestDescribeMessage(t *testing.T) {
	m := &descriptorpb.DescriptorProto{
		Name:          proto.String("M"),
		ReservedRange: []*descriptorpb.DescriptorProto_ReservedRange{{Start: proto.Int32(1), End: proto.Int32(-2)}},
		ReservedName:  []string{"a", "b"},
		Field:         []*descriptorpb.FieldDescriptorProto{{Type: descriptorpb.FieldDescriptorProto_TYPE_BOOL.Enum(), Proto3Optional: proto.Bool(true)}},
	}
	const want = `{name:"M" field:[{type:TYPE_BOOL proto3_optional:true}] reserved_range:[{start:1 end:-2}] reserved_name:["a" "b"]}`
	if got := describeMessage(m.ProtoReflect()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func FuzzDecoder(f *testing.F) {
	c := connect()
	c.WriteSettings()
	c.headers(1, false, ":path", "/grpc.health.v1.Health/Check")
	c.content(1, 0, []byte{10, 1, 'a'})
	f.Add(c.take())
	decode := Decoder(protoregistry.GlobalFiles)
	f.Fuzz(func(_ *testing.T, data string) {
		for _, back := range []bool{false, true} {
			decode(bubble.Message{Kind: bubble.Data, Back: back, Data: data})
		}
	})
}
