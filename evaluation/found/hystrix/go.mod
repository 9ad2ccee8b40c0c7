module example.org/found/hystrix

go 1.26.0

require github.com/afex/hystrix-go v0.0.0-20180502004556-fa1af6a1f4f5

require github.com/smartystreets/goconvey v1.8.1 // indirect
