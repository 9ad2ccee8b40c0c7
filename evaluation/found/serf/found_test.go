package serf

import (
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-msgpack/v2/codec"
	"github.com/hashicorp/serf/client"
)

// Close closes the channels of a query to which another goroutine of the client sends. The test executes itself, as the
// panic ends the process. Ten of ten tests failed.
func TestClose(t *testing.T) {
	if address := os.Getenv("FOUND_SERF"); address != "" {
		closeOften(t, address)
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go serve(listener)
	command := exec.Command(os.Args[0], "-test.run", "^TestClose$")
	command.Env = append(os.Environ(), "FOUND_SERF="+listener.Addr().String())
	start := time.Now()
	out, err := command.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "panic: ") {
			t.Fatalf("the client ends the process after %.0fs with %s", time.Since(start).Seconds(), strings.TrimSpace(line))
		}
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// closeOften closes clients for a minute while they receive responses to a query.
func closeOften(t *testing.T, address string) {
	runtime.GOMAXPROCS(16) // More threads than processors: the system pauses them at any operation.
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for start := time.Now(); time.Since(start) < time.Minute; {
				c, err := client.NewRPCClient(address)
				if err != nil {
					t.Error(err)
					return
				}
				responses := make(chan client.NodeResponse, 1000)
				if err := c.Query(&client.QueryParam{Name: "query", RespCh: responses}); err != nil {
					t.Error(err)
					return
				}
				<-responses
				c.Close()
			}
		})
	}
	wg.Wait()
}

// serve is an agent that responds to queries without end.
func serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			handle := &codec.MsgpackHandle{WriteExt: true}
			decoder, encoder := codec.NewDecoder(conn, handle), codec.NewEncoder(conn, handle)
			var request, body map[string]any
			for {
				if decoder.Decode(&request) != nil || decoder.Decode(&body) != nil {
					return
				}
				header := map[string]any{"Seq": request["Seq"], "Error": ""}
				err := encoder.Encode(header)
				for err == nil && asString(request["Command"]) == "query" {
					if err = encoder.Encode(header); err == nil {
						err = encoder.Encode(map[string]any{"Type": "response", "From": "node", "Payload": []byte("text")})
					}
				}
				if err != nil {
					return
				}
			}
		}()
	}
}

func asString(v any) string {
	if b, ok := v.([]byte); ok {
		return string(b)
	}
	s, _ := v.(string)
	return s
}
