package main

import (
	"context"
	"fmt"
	"io"

	"github.com/nasight/nasight/envelope"
)

type envelopeCommand struct {
	Protocol  string `required:"" placeholder:"nfsv3" help:"nfsv3, nfsv4.1, smb or iscsi."`
	Level     string `name:"service-level" required:"" placeholder:"extreme" help:"standard, premium, extreme, flex_file, flex_file_custom or flex_unified_custom."`
	Block     string `required:"" placeholder:"64KiB" help:"Size of the requests."`
	ReadShare string `default:"1" help:"Part of the operations that read: 0.75 or 75%."`
	Capacity  string `placeholder:"10TiB" help:"Size of the volume, where its throughput follows from it."`
	Large     bool   `name:"large-capacity" help:"A large-capacity volume, with several endpoints."`
	Plot      string `placeholder:"FILE.svg" help:"Also write a chart of all block sizes and read shares; - writes it instead of the text."`
}

// Help shows examples below the flags.
func (envelopeCommand) Help() string {
	return `Examples:
  nasight envelope --protocol=nfsv3 --service-level=extreme --block=64KiB --read-share=0.75
  nasight envelope --protocol=smb --service-level=premium --block=8KiB --capacity=10TiB
  nasight envelope --protocol=iscsi --service-level=flex_unified_custom --block=4KiB --plot=iscsi.svg

The figures are one volume's measured ceilings, published by Google, and what a model makes of them between the
measured points. Throughput provisioned beyond them cannot be used.`
}

// Run prints the ceiling, its band and what other requests would reach.
func (c *envelopeCommand) Run(_ context.Context, to streams) error {
	query, err := c.query()
	if err != nil {
		return usageError("%w", err)
	}
	table, err := envelope.Load()
	if err != nil {
		return fmt.Errorf("read the table of envelopes: %w", err)
	}
	if c.Plot != "" {
		if err := c.plot(table, query, to); err != nil || c.Plot == "-" {
			return err
		}
	}
	if err := table.Text(to.out, query); err != nil {
		return usageError("%w", err)
	}
	return nil
}

func (c *envelopeCommand) plot(table *envelope.Table, query envelope.Query, to streams) error {
	chart, err := table.Plot(query)
	if err != nil {
		return usageError("%w", err)
	}
	if c.Plot == "-" {
		_, err := to.out.Write(chart)
		return err
	}
	write := func(w io.Writer) error { _, err := w.Write(chart); return err }
	if err := writeFile(c.Plot, write); err != nil {
		return collectError("write chart %s: %w", c.Plot, err)
	}
	return nil
}

func (c *envelopeCommand) query() (query envelope.Query, err error) {
	if query.Protocol, err = envelope.ParseProtocol(c.Protocol); err != nil {
		return query, fmt.Errorf("--protocol=%s: %w", c.Protocol, err)
	}
	if query.Level, err = envelope.ParseLevel(c.Level); err != nil {
		return query, fmt.Errorf("--service-level=%s: %w", c.Level, err)
	}
	if query.BlockBytes, err = envelope.ParseBlock(c.Block); err != nil {
		return query, fmt.Errorf("--block=%s: %w", c.Block, err)
	}
	if query.ReadShare, err = envelope.ParseReadShare(c.ReadShare); err != nil {
		return query, fmt.Errorf("--read-share=%s: %w", c.ReadShare, err)
	}
	if c.Capacity != "" {
		if query.CapacityGiB, err = envelope.ParseCapacity(c.Capacity); err != nil {
			return query, fmt.Errorf("--capacity=%s: %w", c.Capacity, err)
		}
	}
	query.LargeCapacity = c.Large
	return query, query.Check()
}
