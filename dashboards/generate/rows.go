package main

import "github.com/nasight/nasight/schema"

// A dashboard is rows: what stands on it, not how Grafana writes it. build.go turns them into Grafana's JSON.
type board struct {
	uid, title, description string
	variables               []variable
	findings                string // matchers of the findings that its annotations show
	severity                int    // from which they do
	sections                []section
}

type section struct {
	title  string
	panels []panel
}

// kind is how a panel shows its queries.
type kind string

const (
	stat  kind = "stat"
	lines kind = "timeseries"
	stack kind = "stack" // lines upon each other
	bars  kind = "bargauge"
	table kind = "table"
)

// panel is one row. Its height and, but for w, its width follow from its kind.
type panel struct {
	kind        kind
	title       string
	description string
	unit        string
	w           uint32
	queries     []query
	columns     []column // of a table: its labels in their order; the columns of the queries follow
	steps       []step   // colours from a value on; green below
	max         float64  // of the bar, and of the axis unless values are above it; 0: as the values are
	none        string   // what is shown where there is nothing
	runbooks    []string // alerts whose runbooks it links to
	links       []string // uids of dashboards that tell more
}

// query is one expression with the words of its lines: of a table the title of its column.
type query struct {
	expr   string
	legend string
	unit   string // of a table's column, where it is not the panel's
}

// column is a label of a table.
type column struct {
	label, title string
	board        string            // uid of the dashboard that tells more of the row's resource
	names        map[string]string // what is shown for a value; of runbooks: where they lead
	runbook      bool
}

// step colours values from a threshold on.
type step struct {
	from  float64
	color string
}

// variable is a choice above the panels, of a label of families that are always there.
type variable struct {
	label, title, description string
	from                      []*schema.Family
	matchers                  string
	single                    bool // one value, never all
}

// The units, by Grafana's ids.
const (
	bytesRate = "binBps"
	bytes     = "bytes"
	perSecond = "ops"
	seconds   = "s"
	ratio     = "percentunit"
	usd       = "currencyUSD"
	number    = "short"
)

// Colours from a share of a limit on, and for severities.
func nearLimit() []step { return []step{{0.7, "yellow"}, {0.9, "red"}} }
func severe() []step    { return []step{{2, "orange"}, {3, "red"}} }

// anything colours what should be nothing.
func anything() []step { return []step{{1, "red"}} }

// uids of the dashboards.
const (
	uidFleet    = "nasight-fleet"
	uidPools    = "nasight-pools"
	uidVolume   = "nasight-volume"
	uidNFS      = "nasight-nfs"
	uidSMB      = "nasight-smb"
	uidMetadata = "nasight-metadata"
	uidOwn      = "nasight-own"
)

func boards() []board {
	return []board{fleetBoard(), poolsBoard(), volumeBoard(), nfsBoard(), smbBoard(), metadataBoard(), ownBoard()}
}
