package state

import "eryxsh/core/shell"

func toolAnswer(c *shell.Call) shell.Answer { return shell.Answer{} }
