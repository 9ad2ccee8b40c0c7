module example.org/found/melody

go 1.26.0

require github.com/olahol/melody v1.4.0

require github.com/gorilla/websocket v1.5.0
