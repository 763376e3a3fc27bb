package plan

import (
	"fmt"
	"math"
	"strings"
)

// brings says in one line what the steps are good for, so that it can be weighed against how many they are.
func (b *builder) brings() string {
	p, e := b.plan, b.plan.Effect
	if len(p.Steps) == 0 {
		return ""
	}
	var parts []string
	if over := float64(p.Assigned - p.Capacity); over > slack {
		parts = append(parts, fmt.Sprintf("take back the %s MiB/s that volumes hold beyond the pool's", number(over)))
	}
	if gained := e.ServedAfter - e.ServedNow; gained >= smallestTold {
		parts = append(parts, fmt.Sprintf("give %s the %s MiB/s that %s", plural(b.helped(), "volume", "volumes"), number(gained), lackedBy(b.helped())))
	}
	if freed := float64(p.Assigned - p.AssignedAfter); freed >= wholeMiBps && p.Assigned <= p.Capacity+slack {
		parts = append(parts, fmt.Sprintf("free %s MiB/s that no volume needs", number(freed)))
	}
	if len(parts) == 0 {
		parts = []string{"bring volumes within their bounds"}
	}
	verbs := strings.Join(parts, ", and ")
	if len(p.Steps) == 1 {
		return "1 step to " + verbs
	}
	return fmt.Sprintf("%d steps to %s", len(p.Steps), verbs)
}

// smallestTold is the throughput below which nothing is said to be gained, in MiB/s.
const smallestTold = 0.05

func lackedBy(volumes int) string {
	if volumes == 1 {
		return "it lacks"
	}
	return "they lack"
}

// helped is how many volumes get more of what they need.
func (b *builder) helped() int {
	n := 0
	for _, i := range b.planned {
		a := b.plan.Volumes[i]
		n += count(math.Min(float64(a.Propose), float64(a.Need)) > float64(min(a.Current, a.Need))+slack)
	}
	return n
}
