package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// JudgeHeld applies the rule for a service that says whether it held a volume at its limit, to the samples of the last hour,
// the newest last. Of a service that says nothing it is inferred. A volume that the service did not hold back is not at its
// limit, however near its mean is.
func JudgeHeld(held []fleet.Held, samples []LimitSample, baseline fleet.Value, limits LimitSettings) LimitVerdict {
	v := JudgeLimit(samples, baseline, limits)
	count, waiting := 0, 0
	newest := held[max(0, len(held)-judged):]
	for i, one := range newest {
		if one == fleet.HeldUntold {
			continue
		}
		v.Told = true
		if one == fleet.HeldBack {
			count++
			if samples[len(samples)-len(newest)+i].Latency.Over(baseline).AtLeast(limits.Slowdown - rounding) {
				waiting++
			}
		}
	}
	if !v.Told {
		return v
	}
	v.Variant, v.Severity, v.Samples, v.Waiting = "", 0, count, float64(waiting) >= limits.Samples
	if float64(count) >= limits.Samples {
		v.Variant, v.Severity = VariantThroughput, Warning
		if v.Waiting && v.Slowdown.AtLeast(limits.Critical-rounding) {
			v.Severity = Critical
		}
	}
	return v
}

func heldOf(moments []fleet.Moment) []fleet.Held {
	held := make([]fleet.Held, len(moments))
	for i, moment := range moments {
		held[i] = moment.Held
	}
	return held
}

// told is what the service said of a volume that it holds back.
func told(v LimitVerdict, limits LimitSettings) string {
	text := fmt.Sprintf(" The service says that it held it at its limit in %d of the last %d samples of five minutes.", v.Samples, judged)
	if v.Utilisation.Below(limits.Near) {
		text += " The mean is below the limit: it is reached for moments."
	}
	return text
}
