package nic

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

const netClass = "class/net"

// link is what /sys/class/net says of one interface. What the driver does not tell is zero.
type link struct {
	up                bool
	driver            string  // empty for a virtual interface
	speed             float64 // bytes per second
	receive, transmit int     // hardware queues
}

// megabit is the unit of the file speed, in bytes.
const megabit = 1e6 / 8

// readLink reads the attributes of an interface; those that cannot be read are left out, as many drivers refuse some.
func readLink(sysfs fs.FS, name string) link {
	directory := path.Join(netClass, name)
	state := readText(sysfs, path.Join(directory, "operstate"))
	found := link{up: state == "up"}
	if target, err := fs.ReadLink(sysfs, path.Join(directory, "device", "driver")); err == nil {
		found.driver = path.Base(target)
	}
	if speed, err := strconv.ParseInt(readText(sysfs, path.Join(directory, "speed")), 10, 32); err == nil && speed > 0 {
		found.speed = float64(speed) * megabit
	}
	queues, _ := fs.ReadDir(sysfs, path.Join(directory, "queues"))
	for _, queue := range queues {
		switch {
		case strings.HasPrefix(queue.Name(), "rx-"):
			found.receive++
		case strings.HasPrefix(queue.Name(), "tx-"):
			found.transmit++
		}
	}
	return found
}

func readText(sysfs fs.FS, name string) string {
	data, err := fs.ReadFile(sysfs, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// gVNIC is the driver whose link speed is the network cap of the VM.
const gVNIC = "gve"

// capOf finds the network cap of a direction in bytes per second: the configured one, or the link speed of a gVNIC.
func capOf(caps map[string]float64, direction string, found link) (float64, bool) {
	if limit, ok := caps[direction]; ok {
		return limit, true
	}
	return found.speed, found.driver == gVNIC && found.speed > 0
}

// The values of the direction label.
const (
	directionReceive  = "receive"
	directionTransmit = "transmit"
)
