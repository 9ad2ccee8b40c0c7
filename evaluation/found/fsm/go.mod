module example.org/found/fsm

go 1.26.0

require github.com/looplab/fsm v1.0.3
