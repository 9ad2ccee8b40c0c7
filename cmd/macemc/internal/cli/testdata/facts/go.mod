module example.org/facts

go 1.26
