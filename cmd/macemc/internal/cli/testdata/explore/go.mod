module example.org/explored

go 1.26

require example.org/ids v0.0.0

replace example.org/ids => ./ids
