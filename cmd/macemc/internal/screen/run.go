package screen

import (
	"context"
	"errors"

	"github.com/gdamore/tcell/v2"

	"github.com/macemc/macemc/mdb"
)

// Options configures the screen.
type Options struct {
	NoColor bool
	Text    string // initial output; "" shows the event graph
}

// Run shows a session on the terminal of this process until the user quits or ctx is done. It fails without a terminal.
func Run(ctx context.Context, s mdb.Debugger, o Options) error {
	t, err := tcell.NewScreen()
	if err != nil {
		return err
	}
	if err := t.Init(); err != nil {
		return err
	}
	defer t.Fini()
	return Loop(ctx, New(s, o.Text), t, o)
}

// Loop runs a model on an initialized screen. If it returns while a command is executing, the session must not be used again.
func Loop(ctx context.Context, m *Model, t tcell.Screen, o Options) error {
	events := make(chan tcell.Event, 16)
	quit := make(chan struct{})
	defer close(quit)
	go t.ChannelEvents(events, quit)
	done := make(chan Done, 1)
	stop := func() {}
	defer func() { stop() }()
	begin := func(command func(context.Context) Done) {
		if command == nil {
			return
		}
		inner, cancel := context.WithCancel(ctx)
		stop = cancel
		m.OnBusy(cancel)
		go func() { done <- command(inner) }()
	}
	m.Resize(t.Size())
	for {
		show(t, m.View(), o.NoColor)
		select {
		case <-ctx.Done():
			return nil
		case d := <-done:
			stop()
			begin(m.Finish(d))
		case e, ok := <-events:
			if !ok {
				return errors.New("the terminal is gone")
			}
			switch e := e.(type) {
			case *tcell.EventResize:
				t.Sync()
				m.Resize(t.Size())
			case *tcell.EventKey:
				begin(m.Press(key(e)))
				if e.Key() == tcell.KeyCtrlL {
					t.Sync()
				}
			}
		}
		if m.Quit() {
			return nil
		}
	}
}

// key converts a key.
func key(e *tcell.EventKey) Key {
	if e.Key() == tcell.KeyRune {
		return Key{Rune: e.Rune()}
	}
	if name, ok := keyNames()[e.Key()]; ok {
		return Key{Name: name}
	}
	return Key{Name: "another"}
}

func keyNames() map[tcell.Key]string {
	return map[tcell.Key]string{
		tcell.KeyUp: Up, tcell.KeyDown: Down, tcell.KeyLeft: Left, tcell.KeyRight: Right,
		tcell.KeyPgUp: PageUp, tcell.KeyPgDn: PageDown, tcell.KeyHome: Home, tcell.KeyEnd: End,
		tcell.KeyEnter: Enter, tcell.KeyEscape: Escape, tcell.KeyTab: Tab, tcell.KeyBacktab: Backtab,
		tcell.KeyBackspace: Backspace, tcell.KeyBackspace2: Backspace, tcell.KeyDelete: Delete,
		tcell.KeyCtrlC: Stop, tcell.KeyCtrlU: Kill, tcell.KeyCtrlA: LineStart, tcell.KeyCtrlE: LineEnd,
		tcell.KeyCtrlL: Redraw, tcell.KeyCtrlW: Word,
	}
}

// show displays a frame.
func show(t tcell.Screen, f *Frame, noColor bool) {
	for y := range f.Height {
		for x := range f.Width {
			c := f.Cells[y*f.Width+x]
			t.SetContent(x, y, c.Rune, nil, look(c.Style, noColor))
		}
	}
	if f.CursorX >= 0 {
		t.ShowCursor(f.CursorX, f.CursorY)
	} else {
		t.HideCursor()
	}
	t.Show()
}

// look returns the appearance of a style. Without colour, only the important differences remain.
func look(s Style, noColor bool) tcell.Style {
	plain := tcell.StyleDefault
	if noColor {
		switch s {
		case Title, Current:
			return plain.Reverse(true)
		case Critical, Changed, Bad:
			return plain.Bold(true)
		}
		return plain
	}
	switch s {
	case Title:
		return plain.Foreground(tcell.ColorTeal).Bold(true)
	case Border, Dim:
		return plain.Foreground(tcell.ColorGray)
	case Current:
		return plain.Reverse(true)
	case Critical:
		return plain.Foreground(tcell.ColorMaroon).Bold(true)
	case Changed:
		return plain.Foreground(tcell.ColorOlive).Bold(true)
	case Fault:
		return plain.Foreground(tcell.ColorMaroon)
	case Bad:
		return plain.Foreground(tcell.ColorRed).Bold(true)
	}
	return plain
}
