package azure

import (
	"encoding/json"

	"github.com/nasight/nasight/simulator/faults"
)

// laterNames are enum values that today's API does not have.
func laterNames() map[string]any {
	return map[string]any{"accessTier": "Glacial", "enabledProtocols": "SMB9", "kind": "FileStorageV3", "tier": "Ultra", "leaseState": "Entangled", "serviceLevel": "Hyper", "qosType": "Telepathic"}
}

// wrongTypes are fields that hold text where a number is expected: of shares, and of points of metrics.
func wrongTypes() []string {
	return []string{"shareQuota", "size", "usageThreshold", "total", "average", "maximum"}
}

// distorted is a JSON body with the call's faults of content in it.
func distorted(body []byte, c *call) ([]byte, error) {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return nil, err
	}
	distort(value, c, laterNames())
	return json.Marshal(value)
}

func distort(value any, c *call, names map[string]any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			distort(item, c, names)
		}
	case map[string]any:
		for key, field := range value {
			distort(field, c, names)
			if name, enum := names[key]; enum && c.hit(faults.UnknownEnum) {
				value[key] = name
			}
		}
		for _, key := range wrongTypes() {
			if _, there := value[key]; there && c.hit(faults.WrongType) {
				value[key] = "many"
			}
		}
		if _, named := value["name"]; named && c.hit(faults.UnknownField) {
			value["quantumReadiness"] = map[string]any{"level": 7, "zones": []any{"a", "b"}}
		}
	}
}
