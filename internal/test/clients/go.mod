module github.com/macemc/macemc/internal/test/clients

go 1.26.0

require (
	github.com/go-delve/delve v1.27.2
	github.com/google/go-dap v0.12.0
)
