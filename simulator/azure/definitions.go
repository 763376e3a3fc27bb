package azure

import "strings"

type (
	availabilityOf struct {
		Grain     string `json:"timeGrain"`
		Retention string `json:"retention"`
	}
	definition struct {
		ID             string           `json:"id"`
		ResourceID     string           `json:"resourceId"`
		Namespace      string           `json:"namespace"`
		Name           text             `json:"name"`
		Description    string           `json:"displayDescription"`
		Required       bool             `json:"isDimensionRequired"`
		Unit           string           `json:"unit"`
		Primary        string           `json:"primaryAggregationType"`
		Aggregations   []string         `json:"supportedAggregationTypes"`
		Availabilities []availabilityOf `json:"metricAvailabilities"`
		Dimensions     []text           `json:"dimensions,omitempty"`
	}
)

func listDefinitions(c *call) (any, *failure) {
	a, failure := c.account()
	if failure != nil {
		return nil, failure
	}
	var all []definition
	for _, m := range metricTable() {
		all = append(all, definitionOf(serviceID(c.subscription, a), metricNamespace, m))
	}
	return map[string]any{"value": all}, nil
}

func definitionOf(id, namespace string, m *metric) definition {
	out := definition{
		ID: id + "/providers/microsoft.insights/metricdefinitions/" + m.name, ResourceID: id, Namespace: namespace, Name: text{m.name, m.title},
		Description: m.title, Unit: m.unit, Aggregations: strings.Split(m.aggregations, ","),
	}
	out.Primary = out.Aggregations[0]
	for _, grain := range grains() {
		if grain.of >= m.grain() {
			out.Availabilities = append(out.Availabilities, availabilityOf{grain.name, "P93D"})
		}
	}
	for _, dimension := range m.dimensions {
		out.Dimensions = append(out.Dimensions, text{dimension, dimension})
	}
	return out
}

func listNamespaces(c *call) (any, *failure) {
	a, failure := c.account()
	if failure != nil {
		return nil, failure
	}
	id := serviceID(c.subscription, a)
	return map[string]any{"value": []any{map[string]any{
		"id": id + "/providers/microsoft.insights/metricNamespaces/" + metricNamespace, "type": "Microsoft.Insights/metricNamespaces", "name": metricNamespace,
		"classification": "Platform", "properties": map[string]string{"metricNamespaceName": metricNamespace},
	}}}, nil
}
