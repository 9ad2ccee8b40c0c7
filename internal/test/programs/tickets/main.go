// Command tickets serves numbers over HTTP: POST /next?req=ID. A repeated request gets the same number.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"sync"
	"time"
)

var (
	addr = flag.String("addr", ":8080", "address of the server")
	name = flag.String("name", "", "name of the worker")

	mu     sync.Mutex
	issued = map[string]int{}
)

func main() {
	flag.Parse()
	http.HandleFunc("POST /next", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		id := r.FormValue("req")
		if issued[id] == 0 {
			issued[id] = len(issued) + 1
		}
		fmt.Fprintln(w, issued[id])
	})
	log.Fatal(http.ListenAndServe(*addr, nil))
}

// worker is the main function of a program that takes two numbers.
func worker() {
	flag.Parse()
	client := &http.Client{Timeout: 5 * time.Second}
	for i := 0; i < 2; {
		answer, err := client.Post(fmt.Sprintf("http://%s/next?req=%s-%d", *addr, *name, i), "", nil)
		if err == nil {
			_, err = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
		if err == nil {
			i++
		} else {
			time.Sleep(time.Second)
		}
	}
}
