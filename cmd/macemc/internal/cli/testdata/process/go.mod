module example.org/process

go 1.26
