package main

import (
	"strconv"
	"strings"

	"github.com/nasight/nasight/plan"
)

// wishes are the operator's choices: options of the plan, and what holds for single volumes.
type wishes struct {
	options   plan.Options
	perVolume []wish
}

// wish is one choice for the volumes of a name.
type wish struct {
	flag, volume string
	change       func(*plan.Volume)
}

// largestFloor is more than any volume can have, in MiB/s.
const largestFloor = 1 << 20

func (c *planCommand) wishes() (*wishes, error) {
	if c.Server != "" && c.History != "" {
		return nil, usageError("--server=%s and --history.path=%s: name one of them", c.Server, c.History)
	}
	w := &wishes{options: plan.Defaults()}
	w.options.Headroom, w.options.Reserve, w.options.FailoverReady = c.Headroom, c.Reserve, c.FailoverReady
	for _, text := range c.Floor {
		if err := w.floor(text); err != nil {
			return nil, err
		}
	}
	for _, volume := range c.Protect {
		w.perVolume = append(w.perVolume, wish{"--protect=" + volume, volume, func(v *plan.Volume) { v.Protected = true }})
	}
	if err := w.options.Validate(); err != nil {
		return nil, usageError("%w", err)
	}
	return w, nil
}

func (w *wishes) floor(text string) error {
	volume, figure, one := strings.Cut(text, "=")
	if !one {
		volume, figure = "", text
	}
	mibps, err := strconv.ParseFloat(figure, 64)
	if err != nil || !(mibps >= 1 && mibps <= largestFloor) || one && volume == "" {
		return usageError("--floor=%s: write MIBPS or VOLUME=MIBPS, from 1 to %d MiB/s", text, largestFloor)
	}
	if !one {
		w.options.FloorMiBps = mibps
		return nil
	}
	w.perVolume = append(w.perVolume, wish{"--floor=" + text, volume, func(v *plan.Volume) { v.FloorMiBps = mibps }})
	return nil
}

// apply writes the wishes into the volumes they name. One that names none is a mistake: the plan would not keep it. Where
// there is nothing to plan, there is nothing to keep either.
func (w *wishes) apply(inputs []plan.Input) error {
	if len(inputs) == 0 {
		return nil
	}
	for _, wish := range w.perVolume {
		found := false
		for i := range inputs {
			for j := range inputs[i].Volumes {
				v := &inputs[i].Volumes[j]
				if isNamed(wish.volume, inputs[i].Pool.Project, v.Location, v.Name) {
					wish.change(v)
					found = true
				}
			}
		}
		if !found {
			return usageError("%s: no such volume in the pools that are planned", wish.flag)
		}
	}
	return nil
}
