package main

// module is the path of this module.
const module = "github.com/macemc/macemc/evaluation/ecosystem"

// library is a library with three tests: test, testDefect and testMended.
type library struct {
	kind   string
	name   string // for people
	module string
	folder string
	test   string
	remark string
}

// packages returns the packages of the three tests. A process runs one suite of Ginkgo, so these have three.
func (l library) packages() []string {
	p := "./" + l.folder
	if l.folder == "ginkgo" {
		return []string{p, p + "/defect", p + "/mended"}
	}
	return []string{p, p, p}
}

// libraries are the rows of the table, in order.
var libraries = []library{
	{kind: "RPC", name: "gRPC", module: "google.golang.org/grpc", folder: "grpc", test: "TestGRPC"},
	{kind: "RPC", name: "gRPC, streams", module: "google.golang.org/grpc", folder: "grpc", test: "TestGRPCStream"},
	{kind: "RPC", name: "Connect", module: "connectrpc.com/connect", folder: "connect", test: "TestConnect"},
	{kind: "RPC", name: "net/rpc", module: "std", folder: "netrpc", test: "TestRPC"},
	{kind: "HTTP", name: "chi", module: "github.com/go-chi/chi/v5", folder: "web", test: "TestChi"},
	{kind: "HTTP", name: "gorilla/mux", module: "github.com/gorilla/mux", folder: "web", test: "TestMux"},
	{kind: "HTTP", name: "httprouter", module: "github.com/julienschmidt/httprouter", folder: "web", test: "TestHTTPRouter"},
	{kind: "HTTP", name: "echo", module: "github.com/labstack/echo/v4", folder: "web", test: "TestEcho"},
	{kind: "HTTP", name: "gin", module: "github.com/gin-gonic/gin", folder: "web", test: "TestGin"},
	{kind: "HTTP", name: "fasthttp", module: "github.com/valyala/fasthttp", folder: "fasthttp", test: "TestFastHTTP"},
	{kind: "HTTP", name: "fiber", module: "github.com/gofiber/fiber/v2", folder: "fasthttp", test: "TestFiber"},
	{kind: "HTTP", name: "resty", module: "github.com/go-resty/resty/v2", folder: "clients", test: "TestResty"},
	{kind: "HTTP", name: "go-retryablehttp", module: "github.com/hashicorp/go-retryablehttp", folder: "clients", test: "TestRetryableHTTP"},
	{kind: "HTTP", name: "x/net/http2", module: "golang.org/x/net", folder: "clients", test: "TestHTTP2"},
	{kind: "Websockets", name: "gorilla/websocket", module: "github.com/gorilla/websocket", folder: "websockets", test: "TestGorilla"},
	{kind: "Websockets", name: "coder/websocket", module: "github.com/coder/websocket", folder: "websockets", test: "TestCoder"},
	{kind: "Queues and brokers", name: "NATS, server and client", module: "github.com/nats-io/nats-server/v2", folder: "nats", test: "TestNATS"},
	{kind: "Queues and brokers", name: "mochi-mqtt", module: "github.com/mochi-mqtt/server/v2", folder: "mqtt", test: "TestMochi"},
	{kind: "Queues and brokers", name: "paho.mqtt", module: "github.com/eclipse/paho.mqtt.golang", folder: "mqtt", test: "TestPaho"},
	{kind: "Queues and brokers", name: "asynq", module: "github.com/hibiken/asynq", folder: "asynq", test: "TestAsynq"},
	{kind: "Queues and brokers", name: "watermill", module: "github.com/ThreeDotsLabs/watermill", folder: "messaging", test: "TestWatermill"},
	{kind: "Queues and brokers", name: "sarama, mocks", module: "github.com/IBM/sarama", folder: "messaging", test: "TestSarama"},
	{kind: "Queues and brokers", name: "franz-go, kfake", module: "github.com/twmb/franz-go", folder: "kafka", test: "TestKafka"},
	{kind: "Queues and brokers", name: "EventBus", module: "github.com/asaskevich/EventBus", folder: "sync", test: "TestEventBus"},
	{kind: "Stores and drivers", name: "bbolt", module: "go.etcd.io/bbolt", folder: "stores", test: "TestBolt"},
	{kind: "Stores and drivers", name: "buntdb", module: "github.com/tidwall/buntdb", folder: "stores", test: "TestBunt"},
	{kind: "Stores and drivers", name: "goleveldb", module: "github.com/syndtr/goleveldb", folder: "stores", test: "TestLevelDB"},
	{kind: "Stores and drivers", name: "go-memdb", module: "github.com/hashicorp/go-memdb", folder: "stores", test: "TestMemDB"},
	{kind: "Stores and drivers", name: "badger", module: "github.com/dgraph-io/badger/v4", folder: "badger", test: "TestBadger"},
	{kind: "Stores and drivers", name: "pebble", module: "github.com/cockroachdb/pebble/v2", folder: "pebble", test: "TestPebble"},
	{kind: "Stores and drivers", name: "SQLite in pure Go", module: "modernc.org/sqlite", folder: "sqlite", test: "TestSQLite"},
	{kind: "Stores and drivers", name: "sqlx", module: "github.com/jmoiron/sqlx", folder: "sqlite", test: "TestSQLX"},
	{kind: "Stores and drivers", name: "go-redis", module: "github.com/redis/go-redis/v9", folder: "redis", test: "TestRedis"},
	{kind: "Stores and drivers", name: "miniredis", module: "github.com/alicebob/miniredis/v2", folder: "redis", test: "TestMiniredis"},
	{kind: "Stores and drivers", name: "sqlmock", module: "github.com/DATA-DOG/go-sqlmock", folder: "sqlmocks", test: "TestSQLMock"},
	{kind: "Stores and drivers", name: "pgx, pgxmock", module: "github.com/jackc/pgx/v5", folder: "sqlmocks", test: "TestPGX"},
	{kind: "Caches", name: "ristretto", module: "github.com/dgraph-io/ristretto/v2", folder: "caches", test: "TestRistretto"},
	{kind: "Caches", name: "golang-lru", module: "github.com/hashicorp/golang-lru/v2", folder: "caches", test: "TestLRU"},
	{kind: "Caches", name: "groupcache", module: "github.com/golang/groupcache", folder: "caches", test: "TestGroupCache"},
	{kind: "Caches", name: "otter", module: "github.com/maypok86/otter/v2", folder: "caches", test: "TestOtter"},
	{kind: "Caches", name: "ttlcache", module: "github.com/jellydator/ttlcache/v3", folder: "caches", test: "TestTTLCache"},
	{kind: "Caches", name: "go-cache", module: "github.com/patrickmn/go-cache", folder: "caches", test: "TestGoCache"},
	{kind: "Caches", name: "bigcache", module: "github.com/allegro/bigcache/v3", folder: "caches", test: "TestBigCache"},
	{kind: "Caches", name: "freecache", module: "github.com/coocood/freecache", folder: "caches", test: "TestFreeCache"},
	{kind: "Schedulers", name: "cron", module: "github.com/robfig/cron/v3", folder: "schedulers", test: "TestCron"},
	{kind: "Schedulers", name: "gocron", module: "github.com/go-co-op/gocron/v2", folder: "schedulers", test: "TestGocron"},
	{kind: "Pools", name: "errgroup", module: "golang.org/x/sync", folder: "pools", test: "TestErrgroup"},
	{kind: "Pools", name: "semaphore", module: "golang.org/x/sync", folder: "pools", test: "TestSemaphore"},
	{kind: "Pools", name: "ants", module: "github.com/panjf2000/ants/v2", folder: "ants", test: "TestAnts"},
	{kind: "Pools", name: "pond", module: "github.com/alitto/pond/v2", folder: "pools", test: "TestPond"},
	{kind: "Pools", name: "conc", module: "github.com/sourcegraph/conc", folder: "pools", test: "TestConc"},
	{kind: "Pools", name: "workerpool", module: "github.com/gammazero/workerpool", folder: "pools", test: "TestWorkerpool"},
	{kind: "Pools", name: "puddle", module: "github.com/jackc/puddle/v2", folder: "pools", test: "TestPuddle"},
	{kind: "Retries, limits, breakers", name: "singleflight", module: "golang.org/x/sync", folder: "pools", test: "TestSingleflight"},
	{kind: "Retries, limits, breakers", name: "backoff", module: "github.com/cenkalti/backoff/v5", folder: "retries", test: "TestBackoff"},
	{kind: "Retries, limits, breakers", name: "retry-go", module: "github.com/avast/retry-go/v4", folder: "retries", test: "TestRetryGo"},
	{kind: "Retries, limits, breakers", name: "go-retry", module: "github.com/sethvargo/go-retry", folder: "retries", test: "TestGoRetry"},
	{kind: "Retries, limits, breakers", name: "failsafe-go", module: "github.com/failsafe-go/failsafe-go", folder: "retries", test: "TestFailsafe"},
	{kind: "Retries, limits, breakers", name: "x/time/rate", module: "golang.org/x/time", folder: "retries", test: "TestRate"},
	{kind: "Retries, limits, breakers", name: "ratelimit", module: "go.uber.org/ratelimit", folder: "retries", test: "TestRatelimit"},
	{kind: "Retries, limits, breakers", name: "gobreaker", module: "github.com/sony/gobreaker/v2", folder: "retries", test: "TestGobreaker"},
	{kind: "Retries, limits, breakers", name: "hystrix-go", module: "github.com/afex/hystrix-go", folder: "clients", test: "TestHystrix"},
	{kind: "Telemetry", name: "OpenTelemetry, traces", module: "go.opentelemetry.io/otel/sdk", folder: "telemetry", test: "TestTraces"},
	{kind: "Telemetry", name: "OpenTelemetry, metrics", module: "go.opentelemetry.io/otel/sdk/metric", folder: "telemetry", test: "TestMetrics"},
	{kind: "Telemetry", name: "Prometheus client", module: "github.com/prometheus/client_golang", folder: "telemetry", test: "TestPrometheus"},
	{kind: "Logging", name: "zap", module: "go.uber.org/zap", folder: "logs", test: "TestZap"},
	{kind: "Logging", name: "zerolog", module: "github.com/rs/zerolog", folder: "logs", test: "TestZerolog"},
	{kind: "Logging", name: "logrus", module: "github.com/sirupsen/logrus", folder: "logs", test: "TestLogrus"},
	{kind: "Logging", name: "hclog", module: "github.com/hashicorp/go-hclog", folder: "logs", test: "TestHclog"},
	{kind: "Logging", name: "lumberjack", module: "gopkg.in/natefinch/lumberjack.v2", folder: "logs", test: "TestLumberjack"},
	{kind: "Configuration", name: "viper", module: "github.com/spf13/viper", folder: "config", test: "TestViper"},
	{kind: "Configuration", name: "koanf", module: "github.com/knadh/koanf/v2", folder: "config", test: "TestKoanf"},
	{kind: "Configuration", name: "fsnotify", module: "github.com/fsnotify/fsnotify", folder: "config", test: "TestFsnotify"},
	{kind: "Lifecycle", name: "fx", module: "go.uber.org/fx", folder: "lifecycle", test: "TestFx"},
	{kind: "Lifecycle", name: "dig", module: "go.uber.org/dig", folder: "lifecycle", test: "TestDig"},
	{kind: "Lifecycle", name: "samber/do", module: "github.com/samber/do/v2", folder: "lifecycle", test: "TestDo"},
	{kind: "Lifecycle", name: "oklog/run", module: "github.com/oklog/run", folder: "lifecycle", test: "TestRun"},
	{kind: "Lifecycle", name: "tomb", module: "gopkg.in/tomb.v2", folder: "lifecycle", test: "TestTomb"},
	{kind: "Test frameworks", name: "testify, suites", module: "github.com/stretchr/testify", folder: "frameworks", test: "TestSuite"},
	{kind: "Test frameworks", name: "testify, Eventually", module: "github.com/stretchr/testify", folder: "frameworks", test: "TestTestify"},
	{kind: "Test frameworks", name: "Ginkgo and Gomega", module: "github.com/onsi/ginkgo/v2", folder: "ginkgo", test: "TestGinkgo"},
	{kind: "Test frameworks", name: "quicktest", module: "github.com/frankban/quicktest", folder: "frameworks", test: "TestQuicktest"},
	{kind: "Test frameworks", name: "goconvey", module: "github.com/smartystreets/goconvey", folder: "frameworks", test: "TestConvey"},
	{kind: "Test frameworks", name: "gotest.tools", module: "gotest.tools/v3", folder: "frameworks", test: "TestGotestTools"},
	{kind: "Mocks", name: "gomock", module: "go.uber.org/mock", folder: "mocks", test: "TestGomock"},
	{kind: "Mocks", name: "testify/mock", module: "github.com/stretchr/testify", folder: "mocks", test: "TestTestifyMock"},
	{kind: "Mocks", name: "httpmock", module: "github.com/jarcoal/httpmock", folder: "mocks", test: "TestHTTPMock"},
	{kind: "Leak detectors", name: "goleak", module: "go.uber.org/goleak", folder: "leaks", test: "TestGoleak"},
	{kind: "Leak detectors", name: "leaktest", module: "github.com/fortytw2/leaktest", folder: "leaks", test: "TestLeaktest"},
	{kind: "Clocks", name: "clockwork", module: "github.com/jonboulle/clockwork", folder: "clocks", test: "TestClockwork"},
	{kind: "Clocks", name: "benbjohnson/clock", module: "github.com/benbjohnson/clock", folder: "clocks", test: "TestClock"},
	{kind: "Clocks", name: "quartz", module: "github.com/coder/quartz", folder: "clocks", test: "TestQuartz"},
	{kind: "Property tests", name: "rapid", module: "pgregory.net/rapid", folder: "properties", test: "TestRapid"},
	{kind: "Property tests", name: "gopter", module: "github.com/leanovate/gopter", folder: "properties", test: "TestGopter"},
	{kind: "Networks and security", name: "miekg/dns", module: "github.com/miekg/dns", folder: "dns", test: "TestDNS"},
	{kind: "Networks and security", name: "quic-go", module: "github.com/quic-go/quic-go", folder: "quic", test: "TestQUIC"},
	{kind: "Networks and security", name: "yamux", module: "github.com/hashicorp/yamux", folder: "gossip", test: "TestYamux"},
	{kind: "Networks and security", name: "golang-jwt", module: "github.com/golang-jwt/jwt/v5", folder: "security", test: "TestJWT"},
	{kind: "Networks and security", name: "x/crypto/ssh", module: "golang.org/x/crypto", folder: "security", test: "TestSSH"},
	{kind: "Networks and security", name: "sftp", module: "github.com/pkg/sftp", folder: "security", test: "TestSFTP"},
	{kind: "Consensus and discovery", name: "hashicorp/raft", module: "github.com/hashicorp/raft", folder: "raft", test: "TestRaft"},
	{kind: "Consensus and discovery", name: "memberlist", module: "github.com/hashicorp/memberlist", folder: "gossip", test: "TestMemberlist"},
	{kind: "Consensus and discovery", name: "serf", module: "github.com/hashicorp/serf", folder: "gossip", test: "TestSerf"},
	{kind: "Concurrency", name: "xsync", module: "github.com/puzpuzpuz/xsync/v4", folder: "sync", test: "TestXsync"},
	{kind: "Concurrency", name: "uber/atomic", module: "go.uber.org/atomic", folder: "sync", test: "TestAtomic"},
	{kind: "Concurrency", name: "concurrent-map", module: "github.com/orcaman/concurrent-map/v2", folder: "sync", test: "TestConcurrentMap"},
	{kind: "Concurrency", name: "uuid", module: "github.com/google/uuid", folder: "sync", test: "TestUUID"},
	{kind: "Concurrency", name: "ulid", module: "github.com/oklog/ulid/v2", folder: "sync", test: "TestULID"},
	{kind: "Concurrency", name: "looplab/fsm", module: "github.com/looplab/fsm", folder: "sync", test: "TestFSM"},
}
