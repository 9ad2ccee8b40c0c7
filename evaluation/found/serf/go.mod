module example.org/found/serf

go 1.26.0

require github.com/hashicorp/serf v0.11.0

require github.com/hashicorp/go-msgpack/v2 v2.1.5

require (
	github.com/hashicorp/go-immutable-radix v1.3.1 // indirect
	github.com/hashicorp/go-metrics v0.7.0 // indirect
	github.com/hashicorp/golang-lru v1.0.2 // indirect
	github.com/hashicorp/logutils v1.0.0 // indirect
)
