#include "kernels.h"
int main() { a(nullptr); b(nullptr); }
