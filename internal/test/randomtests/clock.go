package randomtests

// vector is a vector clock: the last step of each goroutine that happened before.
type vector [4]uint8

func (v *vector) join(w vector) {
	for i := range v {
		v[i] = max(v[i], w[i])
	}
}

// Objects that order goroutines for the race detector.
const (
	ofMutex   = 0 // two
	ofReaders = 2
	ofWriters = 3
	ofSlot    = 4 // of each channel
	ofClose   = ofSlot + channels
	ofAtomic  = ofClose + channels // two
	ofGroup   = ofAtomic + 2
	ofOnce    = ofGroup + 1
	ofMap     = ofOnce + 1
	objects   = ofMap + 1
)

// Memory that the race detector watches: two variables, and the channels, which a send reads and a close writes.
const locations = 2 + channels

// order is what the race detector knows.
type order struct {
	now     [4]vector // by goroutine
	objects [objects]vector
	reads   [locations]vector
	writes  [locations]vector
	raced   bool
}

func (o *order) tick(g int)            { o.now[g][g]++ }
func (o *order) acquire(g, object int) { o.now[g].join(o.objects[object]) }

// release replaces the clock of an object by that of a goroutine, whose later steps do not precede what acquires it.
func (o *order) release(g, object int) {
	o.objects[object] = o.now[g]
	o.tick(g)
}

func (o *order) merge(g, object int) {
	o.objects[object].join(o.now[g])
	o.tick(g)
}

func (o *order) both(g, object int) {
	o.acquire(g, object)
	o.merge(g, object)
}

func (o *order) access(g, location int, write bool) {
	for i, at := range o.writes[location] {
		if i != g && at > o.now[g][i] {
			o.raced = true
		}
	}
	if !write {
		o.reads[location][g] = o.now[g][g]
		return
	}
	for i, at := range o.reads[location] {
		if i != g && at > o.now[g][i] {
			o.raced = true
		}
	}
	o.writes[location][g] = o.now[g][g]
}
