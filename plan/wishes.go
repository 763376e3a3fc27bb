package plan

import (
	"fmt"
	"strings"

	"github.com/nasight/nasight/internal/numerals"
)

// wishes are a request as Build takes it: options, and what holds for single volumes.
type wishes struct {
	options   Options
	perVolume []wish
}

// wish is one choice for the volumes of a name.
type wish struct {
	parameter, value, volume string
	change                   func(*Volume)
}

// largestFloor is more than any volume can have, in MiB/s.
const largestFloor = 1 << 20

func (r Request) wishes() (*wishes, error) {
	w := &wishes{options: Defaults()}
	w.options.Headroom, w.options.Reserve, w.options.FailoverReady = r.Headroom, r.Reserve, r.FailoverReady
	w.options.MinCoverage = r.leastCoverage
	for _, text := range r.Floors {
		if err := w.floor(text); err != nil {
			return nil, err
		}
	}
	for _, volume := range r.Protect {
		w.perVolume = append(w.perVolume, wish{"protect", volume, volume, func(v *Volume) { v.Protected = true }})
	}
	if err := w.options.Validate(); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *wishes) floor(text string) error {
	volume, figure, one := strings.Cut(text, "=")
	if !one {
		volume, figure = "", text
	}
	mibps, err := numerals.Real(figure)
	if err != nil || !(mibps >= 1 && mibps <= largestFloor) || one && volume == "" {
		return &RequestError{Parameter: "floor", Value: text, Problem: fmt.Sprintf("write MIBPS or VOLUME=MIBPS, from 1 to %d MiB/s", largestFloor)}
	}
	if !one {
		w.options.FloorMiBps = mibps
		return nil
	}
	w.perVolume = append(w.perVolume, wish{"floor", text, volume, func(v *Volume) { v.FloorMiBps = mibps }})
	return nil
}

// apply writes the wishes into the volumes they name. One that names none is a mistake: the plan would not keep it. Where
// there is nothing to plan, there is nothing to keep either.
func (w *wishes) apply(inputs []Input) error {
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
			return &RequestError{Parameter: wish.parameter, Value: wish.value, Problem: "no such volume in the pools that are planned"}
		}
	}
	return nil
}
