module example.org/found/eventbus

go 1.26.0

require github.com/asaskevich/EventBus v0.0.0-20200907212545-49d423059eef
