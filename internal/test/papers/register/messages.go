package register

// Messages. Stamps count writes, Reads the reads of a reader.
type (
	WriteRequest struct{ Stamp int }
	WriteAck     struct{ Stamp int }
	ReadRequest  struct{ Read int }
	ReadAck      struct{ Read, Stamp int }
)

// Announcements.
type (
	WriteBegins struct{ Stamp int }
	WriteEnds   struct{ Stamp int }
	ReadBegins  struct{}
	ReadEnds    struct{ Stamp int }
)
