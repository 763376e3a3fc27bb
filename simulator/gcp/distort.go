package gcp

import (
	"encoding/json"

	"github.com/nasight/nasight/simulator/faults"
)

// laterNames are enum values that today's API does not have.
func laterNames() map[string]any {
	return map[string]any{
		"serviceLevel": "ULTRA", "state": "MIGRATING", "qosType": "ADAPTIVE", "type": "OBJECT", "mode": "HYBRID",
		"mirrorState": "REBALANCING", "role": "WITNESS", "protocols": []any{"NFSV3", "NFSV5"}, "protocol": "NFSV5",
	}
}

// distorted is a JSON body with the call's faults of content in it.
func distorted(body []byte, call call) ([]byte, error) {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return nil, err
	}
	distort(value, call, laterNames())
	return json.Marshal(value)
}

func distort(value any, call call, names map[string]any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			distort(item, call, names)
		}
	case map[string]any:
		for key, field := range value {
			distort(field, call, names)
			if name, enum := names[key]; enum && call.hit(faults.UnknownEnum) {
				value[key] = name
			}
		}
		if _, sized := value["capacityGib"]; sized && call.hit(faults.WrongType) {
			value["capacityGib"] = map[string]any{"value": "many"}
		}
		if _, named := value["name"]; named && call.hit(faults.UnknownField) {
			value["quantumReadiness"] = map[string]any{"level": 7, "zones": []any{"a", "b"}}
		}
	}
}
