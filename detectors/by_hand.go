package detectors

// Why a remedy has no command. Whoever reads one learns what is left to do by hand.
const (
	handWork    = "There is no command for it: it is a change to the application, or to how its work is run."
	handLook    = "There is no command for it: somebody has to look."
	handData    = "There is no command for it: which data may go, their owners know."
	handCopy    = "There is no command for it: the data are copied, at a time that suits those who use them."
	handChoice  = "There is no command for it: it is for the volume's owner to decide."
	handMachine = "There is no command for it: which machine it shall be, and how machines are made here, is not known to nasight."
	handServer  = "There is no command for it: it is a setting of the server, of a product that is not known to nasight."
)
