module example.org/ids

go 1.26
