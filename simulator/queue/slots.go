package queue

// What Linux and the protocols allow.
const (
	connectionSlots = 128 // operations of one connection at the server
	sessionSlots    = 180 // of an NFSv4.1 session
)

// SlotsV3 is how many operations NFSv3 lets in: its slot table (sunrpc.tcp_max_slot_table_entries) for each connection.
func SlotsV3(table, connections int) int { return min(table, connectionSlots) * connections }

// SlotsV41 is how many operations NFSv4.1 lets in: those of one session (nfs.max_session_slots) over all its connections.
func SlotsV41(session, connections int) int {
	return min(session, sessionSlots, connectionSlots*connections)
}
