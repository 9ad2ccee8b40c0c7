// Command kv is a replicated key-value store served over HTTP. It does not depend on the checker: its test runs three
// replicas.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"sync"
)

var (
	listen = flag.String("listen", ":80", "address to serve on")
	peers  = flag.String("peers", "", "URLs of the other replicas, with commas")
	hasty  = flag.Bool("hasty", false, "acknowledge values that some replicas do not have")

	mu     sync.Mutex
	values = map[string]string{}
)

func main() {
	flag.Parse()
	http.HandleFunc("GET /{key}", get)
	http.HandleFunc("PUT /{key}", put)
	log.Fatal(http.ListenAndServe(*listen, nil))
}

func get(w http.ResponseWriter, r *http.Request) {
	mu.Lock()
	defer mu.Unlock()
	fmt.Fprint(w, values[r.PathValue("key")])
}

// put stores a value in this replica and its peers.
func put(w http.ResponseWriter, r *http.Request) {
	value, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	mu.Lock()
	values[r.PathValue("key")] = string(value)
	mu.Unlock()
	if r.Header.Get("Copy") != "" {
		return
	}
	for peer := range strings.SplitSeq(*peers, ",") {
		if err := send(peer+r.URL.Path, string(value), true); err != nil {
			log.Print(err)
			if !*hasty {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
		}
	}
}

// send stores a value in another replica, which copies it to its peers unless it is a copy.
func send(url, value string, isCopy bool) error {
	r, err := http.NewRequest("PUT", url, strings.NewReader(value))
	if err != nil {
		return err
	}
	if isCopy {
		r.Header.Set("Copy", "true")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	return nil
}
