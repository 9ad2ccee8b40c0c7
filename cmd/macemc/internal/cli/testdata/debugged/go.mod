module example.org/lease

go 1.24
