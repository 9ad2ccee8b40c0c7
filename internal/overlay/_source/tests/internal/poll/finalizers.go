// Finalizers of files that goroutines used when they ended with a run.

package poll

func macemcFinalizes() bool
