module github.com/macemc/macemc/cmd/macemc-debug

go 1.26.0

require (
	github.com/go-delve/delve v1.27.2
	github.com/macemc/macemc v0.0.0
)

require (
	github.com/cilium/ebpf v0.22.0 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	golang.org/x/arch v0.28.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/telemetry v0.0.0-20241106142447-58a1122356f5 // indirect
)
