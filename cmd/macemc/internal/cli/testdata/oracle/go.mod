module example.org/oracle

go 1.26
