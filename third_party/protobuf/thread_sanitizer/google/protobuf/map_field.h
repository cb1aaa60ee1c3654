// The system's header of the same name, as its library was compiled. Under
// ThreadSanitizer that header gives a field of maps two more members. The
// library, which is not compiled for it, does not know them and would free
// something else.
#ifndef LOCKSTEP_THIRD_PARTY_PROTOBUF_THREAD_SANITIZER_MAP_FIELD_H_
#define LOCKSTEP_THIRD_PARTY_PROTOBUF_THREAD_SANITIZER_MAP_FIELD_H_

#pragma push_macro("__SANITIZE_THREAD__")
#undef __SANITIZE_THREAD__
#include_next <google/protobuf/map_field.h>
#pragma pop_macro("__SANITIZE_THREAD__")

#endif  // LOCKSTEP_THIRD_PARTY_PROTOBUF_THREAD_SANITIZER_MAP_FIELD_H_
