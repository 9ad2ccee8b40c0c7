module example.org/found/dtrie

go 1.26.0

require github.com/Workiva/go-datastructures v1.1.7
