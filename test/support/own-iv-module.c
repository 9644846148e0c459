// A PKCS#11 module around SoftHSM that makes the IV of each encryption itself and writes it into the buffer of the caller, as modules of
// several HSMs do in FIPS mode.
#include <dlfcn.h>
#include <stddef.h>
#include "pkcs11.h"

static CK_FUNCTION_LIST own;
static CK_FUNCTION_LIST_PTR soft;

static CK_RV encryptInit(CK_SESSION_HANDLE session, CK_MECHANISM_PTR mechanism, CK_OBJECT_HANDLE key) {
  CK_GCM_PARAMS_PTR parameters = mechanism->pParameter;
  CK_RV result = soft->C_GenerateRandom(session, parameters->pIv, parameters->ulIvLen);
  return result == CKR_OK ? soft->C_EncryptInit(session, mechanism, key) : result;
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST_PTR_PTR list) {
  CK_C_GetFunctionList listOfSoftHsm = dlsym(dlopen(SOFTHSM, RTLD_NOW), "C_GetFunctionList");
  CK_RV result = listOfSoftHsm(&soft);
  own = *soft;
  own.C_EncryptInit = encryptInit;
  *list = &own;
  return result;
}
