package host

import (
	"cmp"
	"fmt"
	"strconv"
)

const (
	loopback      = "lo"
	defaultDriver = "virtio_net"
	netClassDir   = "sys/class/net/"
)

// interfaceNumber is the index of the interface in a place of the machine's list; the loopback has the first.
func interfaceNumber(place int) int { return place + 2 }

// nicFiles adds the interfaces with their counters, and the routes over them.
func (m *Machine) nicFiles(t *tree) {
	dev := []byte("Inter-|   Receive                                                |  Transmit\n" +
		" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n")
	dev = appendDevice(dev, loopback, Traffic{}, Traffic{})
	t.loopback()
	for i := range m.NICs {
		nic := &m.NICs[i]
		dev = appendDevice(dev, nic.Name, nic.Received, nic.Sent)
		nic.class(t, i)
	}
	t.file("proc/net/dev", dev)
	t.file("proc/net/route", m.routes4())
	t.file("proc/net/ipv6_route", m.routes6())
}

func appendDevice(out []byte, name string, received, sent Traffic) []byte {
	return fmt.Appendf(out, "%6s: %7d %7d    0    0    0     0          0         0 %8d %7d    0    0    0     0       0          0\n",
		name, whole(received.Bytes), whole(received.Packets), whole(sent.Bytes), whole(sent.Packets))
}

func (t *tree) loopback() {
	const dir = "sys/devices/virtual/net/" + loopback
	t.link(netClassDir+loopback, "../../devices/virtual/net/"+loopback)
	t.lines(dir, map[string]string{
		"address": "00:00:00:00:00:00", "carrier": "1", "ifindex": "1", "mtu": "65536", "operstate": "unknown",
	})
	t.line(dir+"/queues/rx-0/rps_cpus", "0")
}

// class adds an interface of the first PCI bus. A driver that does not know the speed refuses to tell it: there is no
// such file then.
func (n *NIC) class(t *tree, place int) {
	device := fmt.Sprintf("devices/pci0000:00/0000:00:%02x.0", place+3)
	dir := "sys/" + device + "/net/" + n.Name
	t.link(netClassDir+n.Name, "../../"+device+"/net/"+n.Name)
	t.link(dir+"/device", "../../../"+device[len(device)-len("0000:00:00.0"):])
	t.link("sys/"+device+"/driver", "../../../bus/pci/drivers/"+cmp.Or(n.Driver, defaultDriver))
	t.lines(dir, map[string]string{
		"address": fmt.Sprintf("02:00:00:00:00:%02x", place), "carrier": "1", "duplex": "full",
		"ifindex": strconv.Itoa(interfaceNumber(place)), "mtu": "1500", "operstate": "up",
	})
	if n.SpeedMbit > 0 {
		t.line(dir+"/speed", strconv.Itoa(n.SpeedMbit))
	}
	for queue := range max(n.Queues, 1) {
		t.line(fmt.Sprintf("%s/queues/rx-%d/rps_cpus", dir, queue), "0")
		t.line(fmt.Sprintf("%s/queues/tx-%d/xps_cpus", dir, queue), "0")
	}
}
