package pastry

import "github.com/macemc/macemc/sim"

// cellSize is the maximum number of nodes in a cell of the routing table.
const cellSize = 10

// row returns a row of the routing table: the nodes with keys that share exactly that many leading digits with the
// node's own.
func (n *Node) row(row int) Set {
	var nodes Set
	for rest := n.Table; rest != 0; rest &= rest - 1 {
		if peer := rest.Lowest(); n.space.row(n.self, peer) == row {
			nodes = nodes.With(peer)
		}
	}
	return nodes
}

// cell returns the cell of a key that is not the node's own: the nodes that share one more digit with the key than the
// node itself.
func (n *Node) cell(k Key) Set {
	row := min(k.sharedBits(n.key())/n.space.digit, n.space.rows-1)
	column := k.digit(row, n.space.digit)
	nodes := n.row(row)
	for rest := nodes; rest != 0; rest &= rest - 1 {
		peer := rest.Lowest()
		if n.space.keys[peer].digit(row, n.space.digit) != column {
			nodes = nodes.Without(peer)
		}
	}
	return nodes
}

// addToTable puts peer into its cell if there is room.
func (n *Node) addToTable(peer sim.NodeID) {
	if !n.Table.Has(peer) && n.cell(n.space.keys[peer]).Len() < cellSize {
		n.Table = n.Table.With(peer)
		n.stampRow(peer)
	}
}

func (n *Node) removeFromTable(peer sim.NodeID) {
	if n.Table.Has(peer) {
		n.Table = n.Table.Without(peer)
		n.stampRow(peer)
	}
}

// stampRow records the time of a change in the row of peer.
func (n *Node) stampRow(peer sim.NodeID) {
	row := n.space.row(n.self, peer)
	for len(n.rowChanged) <= row {
		n.rowChanged = append(n.rowChanged, 0)
	}
	n.clock++
	n.rowChanged[row] = n.clock
}

// rowNewer reports whether a row has changed since a time.
func (n *Node) rowNewer(row, stamp int) bool {
	return row < len(n.rowChanged) && n.rowChanged[row] > stamp
}
