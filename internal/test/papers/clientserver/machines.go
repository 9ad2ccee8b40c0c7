package clientserver

import "github.com/macemc/macemc/machine"

type (
	// Withdraw requests money from an account.
	Withdraw struct {
		Client              machine.ID
		Account, Amount, ID int
	}
	// Withdrawn is the answer: whether there was enough, and the new balance.
	Withdrawn struct {
		OK                   bool
		Account, Balance, ID int
	}
	// Query asks the database for a balance, Balance is its answer, and Update changes one.
	Query   struct{ Account int }
	Balance struct{ Account, Balance int }
	Update  struct{ Account, Balance int }
)

const (
	serving     machine.State = "serving"
	asking      machine.State = "asking the database"
	withdrawing machine.State = "withdrawing"
	idle        machine.State = "no money to withdraw"
)

// Server serves withdrawals one by one. Every account keeps at least Least.
type Server struct {
	Database machine.ID
	Current  Withdraw
	Bugs     bugs
}

// Least is the minimum balance of an account.
const Least = 10

var serverKind = machine.Define[Server]("server",
	machine.In(serving, machine.On((*Server).withdraw, asking)),
	machine.In(asking, machine.On((*Server).answer, serving), machine.DeferAll()))

func (s *Server) withdraw(x *machine.Ctx, w Withdraw) {
	s.Current = w
	x.Send(s.Database, Query{w.Account})
	x.Goto(asking)
}

func (s *Server) answer(x *machine.Ctx, b Balance) {
	w, left := s.Current, b.Balance-s.Current.Amount
	if ok := left > Least || left == Least && !s.Bugs.has(cs1); ok {
		if !s.Bugs.has(cs2) {
			x.Send(s.Database, Update{w.Account, left})
		}
		x.Send(w.Client, Withdrawn{true, w.Account, left, w.ID})
	} else {
		x.Send(w.Client, Withdrawn{false, w.Account, b.Balance, w.ID})
	}
	x.Goto(serving)
}

// Database holds the balances.
type Database struct {
	Server   machine.ID
	Balances []int
}

var databaseKind = machine.Define[Database]("database", machine.In("open",
	machine.On(func(d *Database, x *machine.Ctx, q Query) {
		x.Send(d.Server, Balance{q.Account, d.Balances[q.Account]})
	}),
	machine.On(func(d *Database, _ *machine.Ctx, u Update) { d.Balances[u.Account] = u.Balance })))

// Client withdraws arbitrary amounts while there is money, a bounded number of times.
type Client struct {
	Server               machine.ID
	Account, Money, Next int
	Last                 int // number of its last request
}

var clientKind = machine.Define[Client]("client",
	machine.In(withdrawing, machine.Entry((*Client).withdraw, idle), machine.On((*Client).withdrawn, withdrawing, idle)),
	machine.In(idle))

func (c *Client) withdraw(x *machine.Ctx) {
	if c.Money <= Least || c.Next > c.Last {
		x.Goto(idle)
		return
	}
	amount := 1 + x.Choose("amount", c.Money-Least+1) // at most one more than there is
	x.Send(c.Server, Withdraw{x.Self(), c.Account, amount, 100*c.Account + c.Next})
	c.Next++
}

func (c *Client) withdrawn(x *machine.Ctx, w Withdrawn) {
	x.Assert(w.OK || w.Balance == c.Money, "the withdrawal failed, but the balance is %d, was %d", w.Balance, c.Money)
	c.Money = w.Balance
	x.Goto(withdrawing)
}
