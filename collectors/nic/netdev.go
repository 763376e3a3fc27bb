package nic

import (
	"bytes"
	"strconv"
	"strings"
)

// counter is a number that may be missing.
type counter struct {
	value float64
	known bool
}

// device is what /proc/net/dev says of one interface.
type device struct {
	name                       string
	received, receiveDrops     counter
	transmitted, transmitDrops counter
}

// traffic says whether the interface has ever carried anything.
func (d device) traffic() bool { return d.received.value > 0 || d.transmitted.value > 0 }

// layout is the place of the columns in use; -1 stands for a column that the kernel does not have.
type layout struct {
	received, receiveDrops, transmitted, transmitDrops int
}

// defaultLayout is that of every kernel since 2.2.
var defaultLayout = layout{received: 0, receiveDrops: 3, transmitted: 8, transmitDrops: 11}

// parseDevices reads /proc/net/dev. A line without a name, a second line of one interface and a number that makes no
// sense are counted and cost themselves.
func parseDevices(data []byte) (devices []device, odd int) {
	columns := defaultLayout
	seen := map[string]bool{}
	for line := range bytes.Lines(data) {
		text := strings.TrimRight(string(line), "\n")
		if strings.Contains(text, "|") {
			columns = readLayout(text, columns)
			continue
		}
		// The counters may follow the colon without a blank, and old alias names have a colon of their own.
		end := strings.LastIndexByte(text, ':')
		name := strings.TrimSpace(text[:max(end, 0)])
		if name == "" || seen[name] {
			if strings.TrimSpace(text) != "" {
				odd++
			}
			continue
		}
		seen[name] = true
		found, bad := readDevice(name, strings.Fields(text[end+1:]), columns)
		devices = append(devices, found)
		odd += bad
	}
	return devices, odd
}

// readLayout finds the columns by the names in the second line of the header:
// face |bytes packets errs drop ...|bytes packets errs drop ...
func readLayout(header string, otherwise layout) layout {
	parts := strings.Split(header, "|")
	if len(parts) != 3 {
		return otherwise
	}
	receive, transmit := strings.Fields(parts[1]), strings.Fields(parts[2])
	if position(receive, "bytes", 0) < 0 {
		return otherwise
	}
	return layout{
		received: position(receive, "bytes", 0), receiveDrops: position(receive, "drop", 0),
		transmitted: position(transmit, "bytes", len(receive)), transmitDrops: position(transmit, "drop", len(receive)),
	}
}

func position(names []string, name string, before int) int {
	for i, candidate := range names {
		if candidate == name {
			return before + i
		}
	}
	return -1
}

func readDevice(name string, fields []string, columns layout) (found device, odd int) {
	read := func(column int) counter {
		if column < 0 || column >= len(fields) {
			return counter{}
		}
		value, err := strconv.ParseUint(fields[column], 10, 63)
		if err != nil {
			odd++
			return counter{}
		}
		return counter{float64(value), true}
	}
	return device{
		name: name, received: read(columns.received), receiveDrops: read(columns.receiveDrops),
		transmitted: read(columns.transmitted), transmitDrops: read(columns.transmitDrops),
	}, odd
}
