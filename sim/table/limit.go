package table

// DefaultLimit is how many local states and steps the tables of a world hold before they are dropped, when no run is
// under way. An entry takes about a kilobyte, all told.
const DefaultLimit = maxEntries

// Limit changes that number.
func (w *World) Limit(entries int) { w.most = entries }
