package etcdraft

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// logger is a raft.Logger. Replays show raft's log, and its panics are findings.
type logger struct {
	to *slog.Logger `macemc:"-"` // of the running handler
}

func (l *logger) say(level slog.Level, format string, v []any) {
	if l.to.Enabled(context.Background(), level) {
		l.to.Log(context.Background(), level, fmt.Sprintf(format, v...))
	}
}

func (l *logger) line(level slog.Level, v []any) { l.say(level, "%s", []any{fmt.Sprint(v...)}) }

func (l *logger) Debug(v ...any)            { l.line(slog.LevelDebug, v) }
func (l *logger) Debugf(f string, v ...any) { l.say(slog.LevelDebug, f, v) }
func (l *logger) Info(v ...any)             { l.line(slog.LevelInfo, v) }
func (l *logger) Infof(f string, v ...any)  { l.say(slog.LevelInfo, f, v) }

func (l *logger) Warning(v ...any)            { l.line(slog.LevelWarn, v) }
func (l *logger) Warningf(f string, v ...any) { l.say(slog.LevelWarn, f, v) }
func (l *logger) Error(v ...any)              { l.line(slog.LevelError, v) }
func (l *logger) Errorf(f string, v ...any)   { l.say(slog.LevelError, f, v) }

func (l *logger) Fatal(v ...any)            { panic(fmt.Sprint(v...)) }
func (l *logger) Fatalf(f string, v ...any) { panic(fmt.Sprintf(f, v...)) }
func (l *logger) Panic(v ...any)            { panic(fmt.Sprint(v...)) }
func (l *logger) Panicf(f string, v ...any) { panic(fmt.Sprintf(f, v...)) }

// show returns a text for display and for the keys of events in path files.
func show(m proto.Message) string {
	switch m := m.(type) {
	case *raftpb.Message:
		// Sender and receiver are shown anyway.
		_, text, _ := strings.Cut(raft.DescribeMessage(m, showOp), " ")
		if len(m.GetContext()) > 0 {
			text += fmt.Sprintf(" Context:%q", m.GetContext())
		}
		return text
	case *raftpb.Entry:
		return raft.DescribeEntry(m, showOp)
	case *raftpb.HardState:
		return raft.DescribeHardState(m)
	}
	return fmt.Sprintf("%x", encode(nil, m))
}

func showOp(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return decodeOp(b).String()
}
