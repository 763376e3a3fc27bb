// Package gce collects where a host on Google Compute Engine runs, and on what: its zone, its machine type and the type
// of its network interface, as the metadata server of the machine tells them.
package gce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

const (
	productFile = "class/dmi/id/product_name"
	product     = "Google Compute Engine"

	// HostVariable is the environment variable in which Google's own libraries find another metadata server, as host or
	// host:port.
	HostVariable = "GCE_METADATA_HOST"
	// usualHost is an address and not the name: a host without name service still has its metadata server.
	usualHost = "169.254.169.254"

	// patience is how long all questions together may take. The server is on the machine itself and answers in
	// milliseconds; a check waits for this collector.
	patience = 2 * time.Second
)

// Entry describes the collector for the list of collectors. It is on by default: a machine that is not Google's is
// known by a file, and nothing is called there.
func Entry() collectors.Entry {
	return collectors.Entry{
		Name: "gce", Default: true, Interval: schema.ConfigGrain,
		Help: "zone, machine type and NIC type of a host on Google Compute Engine, from its metadata server",
		New: func(root collectors.Root, _ collectors.Settings) (collectors.Collector, error) {
			return New(root, os.Getenv(HostVariable)), nil
		},
	}
}

// Collector collects the facts of one host.
type Collector struct {
	root     collectors.Root
	server   *server
	patience time.Duration
}

// New makes the collector of one host. The address is that of the metadata server, as host or host:port; empty for
// the one that every machine of Google Compute Engine has.
func New(root collectors.Root, address string) *Collector {
	return &Collector{root: root, server: newServer(cmp.Or(address, usualHost)), patience: patience}
}

// facts are the paths of the values, in the order of the family's labels. They are asked for one by one, since all at
// once would bring the startup script and other people's secrets along.
func facts() []string {
	return []string{"instance/zone", "instance/machine-type", "instance/network-interfaces/0/nic-type"}
}

// Collect implements collectors.Collector. A host that is not on Google Compute Engine has no data, and neither has one
// that is read from elsewhere: the metadata server speaks of the machine that asks. A value that the server does not
// have, or that is odd, leaves its label empty.
func (c *Collector) Collect(ctx context.Context, sink collectors.Sink) error {
	if google, err := c.onGoogle(); err != nil || !google {
		return cmp.Or(err, collectors.ErrNoData)
	}
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	labels := []string{c.root.Host}
	for _, path := range facts() {
		text, err := c.server.get(ctx, path)
		if err != nil {
			return err
		}
		word, ok := lastWord(text)
		if !ok {
			sink.Skip("odd_metadata_value", 1)
		}
		labels = append(labels, word)
	}
	if strings.Join(labels[1:], "") == "" {
		return fmt.Errorf("metadata server %s tells neither zone nor machine type", c.server.address)
	}
	sink.Add(schema.GCEInstanceInfo, 1, labels...)
	return nil
}

// onGoogle asks the firmware's name of the machine before anything is sent: elsewhere another host may have the address.
func (c *Collector) onGoogle() (bool, error) {
	if !c.root.Live() || c.root.Sysfs == nil {
		return false, nil
	}
	name, err := collectors.Read(c.root.Sysfs, productFile)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return strings.TrimSpace(string(name)) == product, err
}

// longestWord is that of a DNS label, which names of zones and machine types keep to.
const longestWord = 63

// lastWord takes the last part of a name such as projects/1/zones/us-central1-a; false for what is no such name.
// Nothing at all is no odd value but none.
func lastWord(text string) (string, bool) {
	text = strings.TrimSpace(text)
	word := text[strings.LastIndexByte(text, '/')+1:]
	if word == "" || len(word) > longestWord || strings.ContainsFunc(word, strange) {
		return "", text == ""
	}
	return word, true
}

func strange(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
}
