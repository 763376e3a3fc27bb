package azurefiles

import (
	"cmp"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// logRow is one row of an answer by the names of its columns.
type logRow struct {
	columns map[string]int
	values  azquery.Row
}

// rowsOfTable takes a table apart.
func rowsOfTable(table *azquery.Table) []logRow {
	columns := map[string]int{}
	for i, c := range table.Columns {
		if c != nil {
			columns[azureapi.Text(c.Name)] = i
		}
	}
	rows := make([]logRow, len(table.Rows))
	for i, values := range table.Rows {
		rows[i] = logRow{columns, values}
	}
	return rows
}

func (r logRow) value(name string) any {
	if at, ok := r.columns[name]; ok && at < len(r.values) {
		return r.values[at]
	}
	return nil
}

func (r logRow) text(name string) string {
	value, _ := r.value(name).(string)
	return value
}

// number reads a number that makes sense; ok is false for others.
func (r logRow) number(name string) (value float64, ok bool) {
	value, ok = r.value(name).(float64)
	return value, ok && value >= 0 && !math.IsInf(value, 0)
}

// logShareKey is a share by the names that the log has of it.
type logShareKey struct{ account, share string }

// place is where a row belongs: share and minute, by the minute's end in milliseconds since 1970; ok is false where it makes no
// sense.
func (r logRow) place(w azureapi.Window) (key logShareKey, end int64, ok bool) {
	at, err := time.Parse(time.RFC3339Nano, r.text("minute"))
	key = logShareKey{r.text("account"), r.text("share")}
	ok = err == nil && key.account != "" && !at.Before(w.Start) && at.Before(w.End) && at.Equal(at.Truncate(time.Minute))
	return key, at.Add(time.Minute).UnixMilli(), ok
}

// clientMinute is what a client did in a minute.
type clientMinute struct {
	operations, data, busy, written, read float64
	files, channels                       float64 // of the session that has most
	sessions                              int     // that moved data
	portless                              bool    // some rows have no port
}

// add joins another session's minute to it.
func (m *clientMinute) add(other clientMinute) {
	m.operations += other.operations
	m.data += other.data
	m.busy += other.busy
	m.written += other.written
	m.read += other.read
	m.files, m.channels = max(m.files, other.files), max(m.channels, other.channels)
	m.sessions += other.sessions
	m.portless = m.portless || other.portless
}

// filesKnown says whether files is how many there are. Several sessions on one file each may be on the same one or on several;
// that there are at least two is known when one session has them.
func (m *clientMinute) filesKnown() bool { return m.files > 1 || m.sessions <= 1 }

// logClient is one client of a share.
type logClient struct {
	address   string
	protocols map[string]bool
	minutes   map[int64]*clientMinute // by their ends
	total     float64                 // operations
}

// portless says whether the log has the client's address without a port.
func (c *logClient) portless() bool {
	for _, m := range c.minutes {
		if m.portless {
			return true
		}
	}
	return false
}

// clientMinuteOf reads a row; ok is false where a number in it makes no sense.
func clientMinuteOf(r logRow) (m clientMinute, ok bool) {
	var portless float64
	for _, one := range []struct {
		name string
		into *float64
	}{
		{"operations", &m.operations}, {"data", &m.data}, {"busy", &m.busy}, {"written", &m.written}, {"read", &m.read},
		{"files", &m.files}, {"channels", &m.channels}, {"portless", &portless},
	} {
		if *one.into, ok = r.number(one.name); !ok {
			return m, false
		}
	}
	m.portless = portless > 0
	if m.data > 0 {
		m.sessions = 1
	}
	return m, true
}

// clientsOf sums up an answer to clientQuery by share and client. odd counts what makes no sense.
func clientsOf(table *azquery.Table, w azureapi.Window, odd map[string]int) map[logShareKey]map[string]*logClient {
	found := map[logShareKey]map[string]*logClient{}
	for _, r := range rowsOfTable(table) {
		key, end, placed := r.place(w)
		address, err := netip.ParseAddr(strings.Trim(r.text("host"), "[]"))
		m, sane := clientMinuteOf(r)
		if !placed || err != nil || !sane {
			odd[oddItem]++
			continue
		}
		name := address.Unmap().WithZone("").String()
		if found[key] == nil {
			found[key] = map[string]*logClient{}
		}
		c := found[key][name]
		if c == nil {
			c = &logClient{address: name, protocols: map[string]bool{}, minutes: map[int64]*clientMinute{}}
			found[key][name] = c
		}
		if c.minutes[end] == nil {
			c.minutes[end] = &clientMinute{}
		}
		c.minutes[end].add(m)
		c.total += m.operations
		protocol := r.text("protocol")
		if !wordLike.MatchString(protocol) {
			protocol = other
		}
		c.protocols[protocol] = true
	}
	return found
}

// busiest are so many clients at most, those with most operations first.
func busiest(clients map[string]*logClient, most int) []*logClient {
	all := make([]*logClient, 0, len(clients))
	for _, c := range clients {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *logClient) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.address, b.address))
	})
	return all[:min(most, len(all))]
}
