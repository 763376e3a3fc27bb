package serve

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/nasight/nasight/plan"
)

// plans answers with what `nasight plan --format json` prints, made by the same function from the view of the last
// evaluation. It asks neither the cloud nor the history.
func (s *Server) plans(w http.ResponseWriter, r *http.Request) {
	query, err := parameters(r, plan.Parameters()...)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	latest := s.evaluator.latest.Load()
	settings := s.current().Detection.Settings()
	if latest != nil {
		settings = latest.Settings
	}
	request, err := plan.NewRequest(settings).Query(query)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	if reason, again := s.unplanned(latest); reason != "" {
		w.Header().Set("Retry-After", strconv.Itoa(int(again.Seconds())))
		fail(w, http.StatusServiceUnavailable, reason)
		return
	}
	answer, err := request.Answer(latest.Fleet, settings)
	var wrong *plan.RequestError
	switch {
	case errors.As(err, &wrong) && wrong.Missing:
		fail(w, http.StatusNotFound, err.Error())
	case errors.As(err, &wrong):
		fail(w, http.StatusBadRequest, err.Error())
	case err != nil:
		s.log.Error("cannot plan", "err", err)
		fail(w, http.StatusInternalServerError, "cannot plan; the log says why")
	default:
		s.writeJSON(w, answer)
	}
}

// unplanned says why there is nothing to plan from yet, and when to ask again. Before a look over days the volumes' needs
// are not known, which is not the same as none.
func (s *Server) unplanned(latest *evaluation) (reason string, again time.Duration) {
	switch {
	case latest == nil:
		return "nothing has been evaluated yet; try again after the first collections", dailyEmpty
	case !latest.Fleet.DaysAt.IsZero():
		return "", 0
	case len(latest.Fleet.Pools) > 0:
		return "no look over the volumes' days has been made yet; it runs at the start and once history was filled with the past", dailyEmpty
	case !s.current().GCNV.Enabled():
		return "no storage pool is known: no cloud is read; set gcnv in the configuration", dailyAgain
	}
	return "no storage pool is known yet: the first reading of the inventory is pending or failed; /metrics and the log say more", dailyEmpty
}
