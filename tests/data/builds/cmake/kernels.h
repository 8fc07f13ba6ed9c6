#pragma once
void a(float*); void b(float*); void s(float*, int);
