/* What the image's users have: `sudo -n COMMAND…` without a password, with a clean environment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
    int first = count > 1 && strcmp(words[1], "-n") == 0 ? 2 : 1;
    if (first >= count || setgid(0) || setuid(0)) {
        fputs("sudo: cannot\n", stderr);
        return 1;
    }
    clearenv();
    setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
    setenv("HOME", "/root", 1);
    execvp(words[first], words + first);
    perror(words[first]);
    return 127;
}
