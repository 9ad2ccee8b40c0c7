module example.org/explored

go 1.26
