package fleet

import (
	"context"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// Learnt is what looks over days found of each endpoint: asked hourly, used by every view until the next time.
type Learnt struct {
	values map[string]map[endpointKey]Value
}

// Learn asks history for the slow features.
func Learn(ctx context.Context, reader history.Reader, at time.Time, profile Profile) (*Learnt, error) {
	learnt := &Learnt{values: map[string]map[endpointKey]Value{}}
	for _, feature := range Features() {
		if !feature.Slow || feature.Cloud {
			continue
		}
		points, err := feature.ask(ctx, reader, at, profile)
		if err != nil {
			return nil, err
		}
		values := make(map[endpointKey]Value, len(points))
		for _, point := range points {
			values[endpointOf(point.Labels)] = Value(point.Value)
		}
		learnt.values[feature.Name] = values
	}
	return learnt, nil
}

func (l *Learnt) value(feature string, key endpointKey) Value {
	if l == nil {
		return Unknown
	}
	if value, ok := l.values[feature][key]; ok {
		return value
	}
	return Unknown
}

func (b *builder) applyLearnt() {
	for key, endpoint := range b.endpoints {
		endpoint.Ceiling = b.profile.Learnt.value(FeatureCeiling, key)
		endpoint.BaseLatency = b.profile.Learnt.value(FeatureBaseLatency, key)
		endpoint.Baseline = b.profile.usual(endpoint.Resource(), b.at, b.profile.Learnt.value(FeatureBaseline, key))
	}
}

// RollUps are the samples that an evaluation writes back for the slow features: the busiest session's rate and the
// operations' round-trip time of every endpoint that busy accepts. Idle endpoints teach nothing.
func (f *Fleet) RollUps(busy func(*Endpoint) bool) []schema.Sample {
	var samples []schema.Sample
	add := func(family *schema.Family, e *Endpoint, value Value) {
		if value.Known() {
			samples = append(samples, schema.Sample{
				Family: family, Labels: []string{e.Host, e.Server, e.Protocol}, Value: float64(value), Time: f.At,
			})
		}
	}
	for _, client := range f.Clients {
		for _, endpoint := range client.Endpoints {
			if !busy(endpoint) {
				continue
			}
			if session := endpoint.Busiest(); session != nil {
				add(schema.EndpointBusiestSession, endpoint, session.Rate)
			}
			if endpoint.Protocol == SMB {
				add(schema.EndpointRequests, endpoint, endpoint.OnWire())
			}
			add(schema.EndpointOperationRTT, endpoint, endpoint.RTT())
		}
	}
	return samples
}
