module example.org/found/lumberjack

go 1.26.0

require gopkg.in/natefinch/lumberjack.v2 v2.2.1
