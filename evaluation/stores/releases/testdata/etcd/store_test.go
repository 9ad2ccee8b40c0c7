package etcd

import (
	"context"
	"testing"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/zap"
)

func init() { wal.SegmentSizeBytes = 16 << 10 }

func store() crashtest.Store[*embed.Etcd] {
	ctx := context.Background()
	return crashtest.Store[*embed.Etcd]{
		Open: func(dir string) (*embed.Etcd, error) {
			c := embed.NewConfig()
			c.Dir, c.QuotaBackendBytes, c.SnapshotCount = dir+"/etcd", 16<<20, 5
			c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
			e, err := embed.StartEtcd(c)
			if err == nil {
				<-e.Server.ReadyNotify()
			}
			return e, err
		},
		Put: func(e *embed.Etcd, key, value string) error {
			_, err := e.Server.Put(ctx, &pb.PutRequest{Key: []byte(key), Value: []byte(value)})
			return err
		},
		Get: func(e *embed.Etcd, key string) (string, bool, error) {
			r, err := e.Server.Range(ctx, &pb.RangeRequest{Key: []byte(key)})
			if err != nil || len(r.Kvs) == 0 {
				return "", false, err
			}
			return string(r.Kvs[0].Value), true, nil
		},
		Maintain: func(e *embed.Etcd) error { return e.Server.Defragment() },
		Close:    func(e *embed.Etcd) error { e.Close(); return nil },
	}
}

func TestStore(t *testing.T) { stores.Check(t, store(), crashtest.Ext4, stores.Nothing) }
